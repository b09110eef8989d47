{{- define "covered_by_erasure"}}tenant = {tenant:String}
{{- if not .Whole}} AND session_id IN {sessions:Array(String)}{{end}}
    AND (stream_id <= {until:String} OR stream_id IN {streams:Array(String)}) AND stream_id NOT IN {restored:Array(String)}
{{- end -}}
{{- /* How many rows of a table an erasure covers, hidden ones included. */ -}}
SELECT count() FROM {{.Table}} WHERE {{template "covered_by_erasure" .}}
SETTINGS apply_deleted_mask = 0
