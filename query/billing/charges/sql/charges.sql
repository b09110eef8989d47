{{- /* The usage records of a range, one row for each, in order of time, at most limit if it is limited.
What is settled is read from settled_charges, whose rows are in this order. Rows of unsettled sessions are
made in the same way from the tables that the sink writes; without a settlement, those of all sessions. */ -}}
{{- /* packed_tags: the keys of a map and then its values, each after its length in bytes and a colon. */ -}}
{{define "packed_tags"}}arrayStringConcat(arrayMap(text -> concat(toString(length(text)), ':', text),
        arrayConcat(mapKeys({{.}})::Array(String), mapValues({{.}})))){{end}}
{{define "charges_after"}}
    {{- if .After}}
    AND (at, session_id, usage_id) > (fromUnixTimestamp64Nano({after_at:Int64}, 'UTC'), unhex({after_session:String}), unhex({after_usage:String}))
    {{- end}}
{{- end}}
{{define "charges_order"}}
ORDER BY at, session_id, usage_id
{{- if .Limited}}
LIMIT {limit:UInt64}
{{- end}}
{{- end}}
{{define "settled_rows"}}SELECT {{template "settled_charge_columns"}}
FROM settled_charges
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}{{template "counted_where" .}}{{template "settled_mask" .}}
WHERE 1{{template "charges_after" .}}
{{- if .Limited}}{{template "charges_order" .}}{{end}}
{{- end}}
{{define "made_of"}}{{template "made_charges" (.Made (render "counted_plain" .) (render "counted_care" .))}}{{end}}
{{define "made_rows"}}SELECT {{template "settled_charge_columns"}}
FROM ({{template "made_of" (.Counted (render "made_where" .))}})
WHERE 1{{template "counted_where" .}}{{template "charges_after" .}}
{{- end -}}
SELECT
    records.session_id AS session, stream_id AS stream, usage_id, scope, mode, span_id, run_id, node_id, agent,
    model, provider, service_tier, speed, region, dialect, toUnixTimestamp64Nano(at) AS at_ns, version, stated,
    requested_model, stated_cost, stated_currency, request_id, message_id, toUInt64(NOT startsWith(scope, 'rest:')) AS calls,
    input AS input_sum, cache_read AS cache_read_sum, cache_write_5m AS cache_write_5m_sum, cache_write_1h AS cache_write_1h_sum,
    output AS output_sum, reasoning AS reasoning_sum, {{template "record_parts"}}, web_fetches,
    {{template "packed_tags" "tags"}} AS packed_tags,
    [{{range $i, $tag := .Tags}}{{if $i}}, {{end}}cell_tags[{tag_{{$i}}:String}]{{end}}]::Array(String) AS cell_tags
FROM (
{{- if and .Settled .Unsettled}}
SELECT * FROM ({{template "settled_rows" .}})
UNION ALL
{{template "made_rows" .}}
{{- else if .Settled}}
{{template "settled_rows" .}}
{{- else}}
{{template "made_rows" .}}
{{- end}}
) AS records
{{- template "charges_order" .}}
