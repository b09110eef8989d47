{{- /* Tokens by period, group and cell, and costs that sources state. Nearly every record
is in one row: these are added up as they are. The others go through careful_usage. */ -}}
SELECT
    {{.Period}} AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    {{template "cell_columns" .CellTags}},
    {{template "sums"}},
    {{template "stated_sums" .}}
{{template "report_records" .}}
GROUP BY period{{range .Groups}}, {{.}}{{end}},
    {{template "cell_keys"}}{{template "cell_tags" .CellTags}}{{if .StatedCosts}}, records.stated_currency{{end}}
ORDER BY period, groups
