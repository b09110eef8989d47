{{/* The secrets that servers read as files. Each is in a secret of the operator's or in the chart's. */}}
{{- define "tapedeck.secrets" -}}
{{- $own := include "tapedeck.fullname" . -}}
{{- $list := list -}}
{{- with .Values.clickhouse -}}
{{- if .existingSecret -}}
{{- $list = append $list (dict "file" "clickhouse-password" "secret" .existingSecret "key" .existingSecretKey) -}}
{{- else if .password -}}
{{- $list = append $list (dict "file" "clickhouse-password" "secret" $own "key" "clickhouse-password" "value" .password) -}}
{{- end -}}
{{- end -}}
{{- with .Values.nats -}}
{{- if .existingSecret -}}
{{- $list = append $list (dict "file" "nats-credentials" "secret" .existingSecret "key" .existingSecretKey) -}}
{{- else if .credentials -}}
{{- $list = append $list (dict "file" "nats-credentials" "secret" $own "key" "nats-credentials" "value" .credentials) -}}
{{- end -}}
{{- end -}}
{{- with .Values.auth -}}
{{- if .existingSecret -}}
{{- $list = append $list (dict "file" "admin-token" "secret" .existingSecret "key" .existingSecretKey) -}}
{{- else -}}
{{- $list = append $list (dict "file" "admin-token" "secret" $own "key" "admin-token" "value" .adminToken) -}}
{{- end -}}
{{- end -}}
{{- with .Values.oidc -}}
{{- if .existingSecret -}}
{{- $list = append $list (dict "file" "oidc-client-secret" "secret" .existingSecret "key" .existingSecretKey) -}}
{{- else if .clientSecret -}}
{{- $list = append $list (dict "file" "oidc-client-secret" "secret" $own "key" "oidc-client-secret" "value" .clientSecret) -}}
{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/* The data of the chart's own secret; empty if there is none. */}}
{{- define "tapedeck.secretData" -}}
{{- range include "tapedeck.secrets" . | fromYamlArray }}
{{- if hasKey . "value" }}
{{ .key }}: {{ .value | b64enc | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The projected volume of the files; .migration leaves all but ClickHouse's out. */}}
{{- define "tapedeck.secretSources" -}}
{{- range include "tapedeck.secrets" .root | fromYamlArray }}
{{- if or (not $.migration) (eq .file "clickhouse-password") }}
- secret:
    name: {{ if and $.migration (hasKey . "value") }}{{ .secret }}-migrate{{ else }}{{ .secret }}{{ end }}
    items:
      - {key: {{ .key | quote }}, path: {{ .file }}}
{{- end }}
{{- end }}
{{- end -}}

{{- define "tapedeck.hasSecret" -}}
{{- range include "tapedeck.secrets" .root | fromYamlArray }}{{ if eq .file $.file }}yes{{ end }}{{ end -}}
{{- end -}}
