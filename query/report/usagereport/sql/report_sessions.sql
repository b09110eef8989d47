{{- /* The sessions of each period and group of a report. */ -}}
SELECT
    toString({{.Period}}) AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    records.session_id AS session
{{template "counted_records" .}}
GROUP BY {{.Period}}{{range .Groups}}, {{.}}{{end}}, session
LIMIT {session_rows:UInt64}
