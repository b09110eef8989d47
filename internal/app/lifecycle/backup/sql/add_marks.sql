{{- /* Adds the marks in a table of a later backup to those that were restored. Expirations count as unfinished, so that the server
deletes what they cover once more; of the same streams the latest one is inserted last, which makes it stand. */ -}}
INSERT INTO {{.Restored}}.{{.Table}} ({{.Columns}}) SELECT {{.Columns}} FROM
{{- if eq .Table "expirations"}} (SELECT * REPLACE (toUInt8(0) AS finished) FROM {{.Later}}.{{.Table}} ORDER BY expired_at)
{{- else}} {{.Later}}.{{.Table}}{{end}}
