{{- /* define only: usage records by cells, of rows named records that have a provider, a
model, at_ns, scope and the token buckets. A cell_prompt is all input of a record, cache
included: by it a tier holds. cell_uses is whether a record has input and output, of which
a model may have no price for one. */ -}}
{{define "cell_prompt"}}(input + cache_read + cache_write_5m + cache_write_1h){{end}}
{{define "cell_keys"}}records.provider, records.model, records.service_tier, records.speed, records.region,
    arrayCount(start -> start < {{template "cell_prompt"}}, {tier_starts:Array(Int64)}),
    arrayCount(instant -> instant <= at_ns, {price_instants:Array(Int64)}),
    arrayCount(since -> since <= at_ns % 86400000000000, {price_times:Array(Int64)}),
    {{template "cell_prompt"}} != 0, output + reasoning != 0,
    least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning) >= 0,
    startsWith(scope, 'rest:')
{{- end}}
{{- /* The dot of cell_columns and cell_tags is the SQL of the values of tags. */ -}}
{{define "cell_tags"}}{{range .}}, {{.}}{{end}}{{end}}
{{define "cell_columns"}}any(records.provider) AS cell_provider,
    any(records.model) AS cell_model,
    any(records.service_tier) AS cell_service_tier,
    any(records.speed) AS cell_speed,
    any(records.region) AS cell_region,
    any(at_ns) AS cell_at,
    any({{template "cell_prompt"}}) AS cell_input,
    min(least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning)) >= 0 AS cell_valid,
    any(startsWith(scope, 'rest:'))::Bool AS cell_rest,
    [{{range $i, $value := .}}{{if $i}}, {{end}}any({{$value}}){{end}}]::Array(String) AS cell_tags
{{- end}}
