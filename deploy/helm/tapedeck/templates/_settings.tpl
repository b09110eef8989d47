{{/* The settings of ClickHouse, for servers and the migration. */}}
{{- define "tapedeck.clickhouseSettings" -}}
{{- with .Values.clickhouse -}}
clickhouse: {{ required "clickhouse.url is required, like clickhouse://user@clickhouse.clickhouse.svc:9000/tapedeck" .url | quote }}
{{- if or .password .existingSecret }}
clickhouse-password-file: /etc/tapedeck/secrets/clickhouse-password
{{- end }}
{{ include "tapedeck.tlsSettings" (dict "prefix" "clickhouse" "tls" .tls) }}
{{- end }}
{{- end -}}

{{- define "tapedeck.tlsSettings" -}}
{{- with .tls.serverName }}
{{ $.prefix }}-server-name: {{ . | quote }}
{{- end }}
{{- if .tls.secretName }}
{{- range $setting := list "ca" "cert" "key" }}
{{- with index $.tls $setting }}
{{ $.prefix }}-{{ $setting }}: /etc/tapedeck/tls/{{ $.prefix }}/{{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The settings that follow from the other values, by the names that flags have. */}}
{{- define "tapedeck.ownSettings" -}}
{{- $root := .root -}}
{{- $name := include "tapedeck.fullname" $root -}}
role: {{ .role }}
listen: "0.0.0.0:4600"
data: /var/lib/tapedeck
log-format: json
tokens: true
admin-token-file: /etc/tapedeck/secrets/admin-token
allow-host:
{{- range list $name (printf "%s-ingest" $name) (printf "%s-sink" $name) (printf "%s-api" $name) }}
{{- if ne . $name }}
  - {{ . }}
  - {{ . }}.{{ $root.Release.Namespace }}
  - {{ . }}.{{ $root.Release.Namespace }}.svc
  - {{ . }}.{{ $root.Release.Namespace }}.svc.cluster.local
{{- end }}
{{- end }}
{{- if $root.Values.ingress.enabled }}
{{- range $root.Values.ingress.hosts }}
  - {{ . | quote }}
{{- end }}
{{- end }}
{{- range $root.Values.auth.allowHosts }}
  - {{ . | quote }}
{{- end }}
{{- with $root.Values.auth.allowOrigins }}
allow-origin: {{ toJson . }}
{{- end }}
{{- with $root.Values.auth.trustedProxies }}
trusted-proxy: {{ toJson . }}
{{- end }}
{{- with include "tapedeck.publicURL" $root }}
public-url: {{ . | quote }}
{{- end }}
{{- with $root.Values.oidc }}
{{- if .issuer }}
oidc-issuer: {{ .issuer | quote }}
oidc-client-id: {{ required "oidc.clientID is required with oidc.issuer" .clientID | quote }}
{{- if include "tapedeck.hasSecret" (dict "root" $root "file" "oidc-client-secret") }}
oidc-client-secret-file: /etc/tapedeck/secrets/oidc-client-secret
{{- end }}
{{- with .scopes }}
oidc-scopes: {{ toJson . }}
{{- end }}
oidc-grant: {{ toJson .grants }}
{{- end }}
{{- end }}
{{- with $root.Values.tls }}
{{- if .secretName }}
tls-cert: /etc/tapedeck/tls/server/tls.crt
tls-key: /etc/tapedeck/tls/server/tls.key
{{- with .minVersion }}
tls-min-version: {{ . | quote }}
{{- end }}
{{- if .clientCASecretName }}
tls-client-ca: /etc/tapedeck/tls/client-ca/{{ .clientCAKey }}
{{- end }}
{{- end }}
{{- end }}
{{- with $root.Values.nats }}
nats: {{ required "nats.url is required, like nats://nats.nats.svc:4222" .url | quote }}
{{- if or .credentials .existingSecret }}
nats-credentials: /etc/tapedeck/secrets/nats-credentials
{{- end }}
replicas: {{ .replicas }}
jetstream-partitions: {{ .partitions }}
{{- with .maxBytes }}
max-bytes: {{ include "tapedeck.text" . | quote }}
{{- end }}
{{ include "tapedeck.tlsSettings" (dict "prefix" "nats" "tls" .tls) }}
{{- end }}
{{ include "tapedeck.clickhouseSettings" $root }}
{{- if and (eq .role "sink") (eq $root.Values.migrations.mode "start") }}
migrate: true
{{- end }}
{{- end -}}

{{/* All settings of a role: what follows from other values, then settings, then the role's. */}}
{{- define "tapedeck.settings" -}}
{{- $own := include "tapedeck.ownSettings" . | fromYaml -}}
{{- $role := index .root.Values .role -}}
{{- toYaml (mergeOverwrite $own (deepCopy .root.Values.settings) (deepCopy $role.settings)) -}}
{{- end -}}

{{/* The same as a configuration file. All values are texts: numbers come as floats, and large
ones would be written with an exponent. */}}
{{- define "tapedeck.file" -}}
{{- range $name, $value := include "tapedeck.settings" . | fromYaml }}
{{- if kindIs "slice" $value }}
{{ $name }}:
{{- range $value }}
  - {{ include "tapedeck.text" . | quote }}
{{- end }}
{{- else }}
{{ $name }}: {{ include "tapedeck.text" $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "tapedeck.text" -}}
{{- if kindIs "float64" . -}}
{{- if eq (float64 (int64 .)) . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}
