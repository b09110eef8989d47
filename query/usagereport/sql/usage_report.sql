{{- /* Tokens by period, group and cell. Nearly every record is told once and counts as
it is: these are added up straight. The exceptions go through careful_usage. */ -}}
SELECT
    {{.Period}} AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    {{template "cell_columns" .CellTags}},
    {{template "sums"}}
{{template "report_records" .}}
GROUP BY period{{range .Groups}}, {{.}}{{end}},
    {{template "cell_keys"}}{{template "cell_tags" .CellTags}}
ORDER BY period, groups
