{{- /* The sum of the hashes of all rows of a table of the manifest. */ -}}
SELECT toString(sum(reinterpretAsUInt128(sipHash128({{.Columns}})))) FROM {{.Database}}.{{.Table}}
