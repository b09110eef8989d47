{{- /* Adds the marks in a table of a later backup to those that were restored. */ -}}
INSERT INTO {{.Restored}}.{{.Table}} ({{.Columns}}) SELECT {{.Columns}} FROM {{.Later}}.{{.Table}}
