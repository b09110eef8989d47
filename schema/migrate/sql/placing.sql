{{- /* Whether a restore was killed while it put tables in place. */ -}}
SELECT count() > 0 FROM system.tables WHERE database = currentDatabase() AND name = '{{.}}'
