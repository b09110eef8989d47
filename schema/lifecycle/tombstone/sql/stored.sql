{{- /* How many rows of a table a tombstone covers. */ -}}
SELECT count() FROM {{.}} WHERE {{template "covered"}}
