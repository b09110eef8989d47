{{- /* Removes a batch. */ -}}
ALTER TABLE {{.Table}} DROP PARTITION '{{.Batch}}'
