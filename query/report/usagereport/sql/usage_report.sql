{{- /* Tokens by period, group and cell, and costs that sources state. */ -}}
SELECT
    toString({{.Period}}) AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    any(records.provider) AS cell_provider,
    any(records.model) AS cell_model,
    any(records.service_tier) AS cell_service_tier,
    any(records.speed) AS cell_speed,
    any(records.region) AS cell_region,
    any(at_ns) AS cell_at,
    any({{template "cell_prompt"}}) AS cell_input,
    any(valid) AS cell_valid,
    any(rest) AS cell_rest,
    [{{range $i, $value := .CellTags}}{{if $i}}, {{end}}any({{$value}}){{end}}]::Array(String) AS cell_tags,
    countIf(NOT rest) AS calls,
    sum(input) AS input_sum,
    sum(cache_read) AS cache_read_sum,
    sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum,
    sum(output) AS output_sum,
    sum(reasoning) AS reasoning_sum,
    {{- if .Parts}}{{template "part_sums"}},{{end}}
    countIf(mismatch) AS mismatches
    {{- if .StatedCosts}},
    {{template "stated_sums" .}}
    {{- end}}
{{template "counted_records" .}}
GROUP BY {{.Period}}{{range .Groups}}, {{.}}{{end}}, class{{template "model_splits" .Splits}}{{template "cell_tags" .CellTags}}{{range .PlanZones}}, toStartOfMonth(fromUnixTimestamp64Nano(at_ns, {{.}})){{end}}{{if .StatedCosts}}, records.stated_currency{{end}}
ORDER BY period, groups
