{{- /* Makes the Distributed table of a table. The rows of a session are on one shard. */ -}}
CREATE OR REPLACE TABLE {{.Name}} AS {{.Local}}.{{.Name}} ENGINE = {{.Engine}}{{.Name}}, {{.Key}})
