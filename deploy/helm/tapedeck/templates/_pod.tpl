{{/* The pod of a role: (dict "root" $ "role" "ingest"). */}}
{{- define "tapedeck.pod" -}}
{{- $root := .root -}}
{{- $role := index $root.Values .role -}}
metadata:
  labels:
    {{- include "tapedeck.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
    {{- with $role.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    checksum/settings: {{ include "tapedeck.file" . | sha256sum }}
    checksum/secret: {{ include "tapedeck.secretData" $root | sha256sum }}
    {{- with $role.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "tapedeck.serviceAccount" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with $role.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  terminationGracePeriodSeconds: {{ $role.terminationGracePeriodSeconds }}
  securityContext: {{ toYaml $root.Values.podSecurityContext | nindent 4 }}
  {{- with $root.Values.topologySpread }}
  {{- if .keys }}
  topologySpreadConstraints:
    {{- range .keys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "tapedeck.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $.role }}
    {{- end }}
  {{- end }}
  {{- end }}
  {{- with $role.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with $role.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with $role.affinity }}
  affinity: {{ toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: tapedeck
      image: {{ include "tapedeck.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      command: [tapedeck]
      args:
        - serve
        - --config=/etc/tapedeck/config/tapedeck.yaml
        {{- range $role.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      {{- with concat $root.Values.extraEnv $role.extraEnv }}
      env: {{ toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - {name: {{ include "tapedeck.scheme" $root }}, containerPort: 4600, protocol: TCP}
      {{- include "tapedeck.probes" $root | nindent 6 }}
      {{- if $role.drainSeconds }}
      lifecycle:
        preStop: # the services stop sending connections before the server stops
          sleep: {seconds: {{ $role.drainSeconds }}}
      {{- end }}
      resources: {{ toYaml $role.resources | nindent 8 }}
      securityContext: {{ include "tapedeck.containerSecurity" $root | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /var/lib/tapedeck}
        - {name: config, mountPath: /etc/tapedeck/config, readOnly: true}
        {{- include "tapedeck.mounts" $root | nindent 8 }}
        {{- with concat $root.Values.extraVolumeMounts $role.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    {{- if not (and (eq .role "ingest") $role.persistence.enabled) }}
    - {name: data, emptyDir: {}}
    {{- end }}
    - name: config
      configMap: {name: {{ include "tapedeck.fullname" $root }}-{{ .role }}}
    - name: secrets
      projected:
        defaultMode: 0440
        sources: {{ include "tapedeck.secretSources" (dict "root" $root) | nindent 10 }}
    {{- include "tapedeck.tlsVolumes" $root | nindent 4 }}
    {{- with concat $root.Values.extraVolumes $role.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
{{- end -}}

{{- define "tapedeck.containerSecurity" -}}
runAsNonRoot: true
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* With client certificates the kubelet can only connect. */}}
{{- define "tapedeck.probes" -}}
{{- range $probe, $path := dict "startupProbe" "/healthz" "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
{{ $probe }}:
  {{- if $.Values.tls.clientCASecretName }}
  tcpSocket: {port: {{ include "tapedeck.scheme" $ }}}
  {{- else }}
  httpGet: {path: {{ $path }}, port: {{ include "tapedeck.scheme" $ }}, scheme: {{ include "tapedeck.scheme" $ | upper }}}
  {{- end }}
  {{- if eq $probe "startupProbe" }}
  periodSeconds: 2
  failureThreshold: 60
  {{- else if eq $probe "livenessProbe" }}
  periodSeconds: 10
  failureThreshold: 6
  {{- else }}
  periodSeconds: 5
  failureThreshold: 2
  {{- end }}
  timeoutSeconds: 4
{{- end }}
{{- end -}}

{{- define "tapedeck.mounts" -}}
- {name: secrets, mountPath: /etc/tapedeck/secrets, readOnly: true}
{{- if .Values.tls.secretName }}
- {name: tls-server, mountPath: /etc/tapedeck/tls/server, readOnly: true}
{{- end }}
{{- if .Values.tls.clientCASecretName }}
- {name: tls-client-ca, mountPath: /etc/tapedeck/tls/client-ca, readOnly: true}
{{- end }}
{{- if .Values.nats.tls.secretName }}
- {name: tls-nats, mountPath: /etc/tapedeck/tls/nats, readOnly: true}
{{- end }}
{{- if .Values.clickhouse.tls.secretName }}
- {name: tls-clickhouse, mountPath: /etc/tapedeck/tls/clickhouse, readOnly: true}
{{- end }}
{{- end -}}

{{- define "tapedeck.tlsVolumes" -}}
{{- range $name, $secret := dict "server" .Values.tls.secretName "client-ca" .Values.tls.clientCASecretName "nats" .Values.nats.tls.secretName "clickhouse" .Values.clickhouse.tls.secretName }}
{{- if $secret }}
- name: tls-{{ $name }}
  secret: {secretName: {{ $secret }}, defaultMode: 0440}
{{- end }}
{{- end }}
{{- end -}}
