{{- /* Makes the Distributed table of a table. */ -}}
CREATE OR REPLACE TABLE {{.Name}} AS {{.Local}}.{{.Name}} ENGINE = {{.Engine}}
