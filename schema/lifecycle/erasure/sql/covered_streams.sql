{{- /* The streams that an erasure covers. */ -}}
SELECT DISTINCT stream_id FROM {{.Table}} WHERE {{template "covered_by_erasure" .}}
