{{- /* Hashes of the ids that stand in the range several times. A collision does no
harm: it only has a record treated with more care than it needs. */ -}}
SELECT cityHash64(session_id, {{.ID}}) AS id FROM {{.Table}} FINAL
PREWHERE {{template "days" .}} AND {{template "current"}}{{if .Kind}} WHERE kind = '{{.Kind}}'{{end}}
GROUP BY id HAVING count() > 1
LIMIT {limit:UInt64}
