{{- /* Stores the number of rows and bytes and a hash of the content, for each session of a table or for
       the whole of it. The sum of the rows' hashes does not depend on their order. */ -}}
INSERT INTO {{.Database}}.{{.Into}} (table_name, tenant, session_id, rows, bytes, hash)
SELECT '{{.Table}}', {{if .Keyed}}tenant, session_id{{else}}'', ''{{end}}, count(), sum({{.Bytes}}),
    sum(reinterpretAsUInt128(sipHash128({{.Columns}})))
FROM {{.Database}}.{{.Table}}{{if .Merged}} FINAL{{end}}
{{if .Keyed}}GROUP BY tenant, session_id{{end}}
SETTINGS do_not_merge_across_partitions_select_final = 1
