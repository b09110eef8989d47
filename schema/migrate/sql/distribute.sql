{{- /* Makes the Distributed table of a table. The rows of a session are on one shard. */ -}}
CREATE OR REPLACE TABLE {{.Name}} AS {{.Local}}.{{.Name}} ENGINE = {{.Engine}}{{.Name}}, {{if .OfSession}}cityHash64(tenant, session_id){{else}}0{{end}})
