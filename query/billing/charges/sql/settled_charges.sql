{{- /* At most limit of the usage records of a range, one row for each, in order of time. What is settled
is read from settled_charges, whose rows are in this order; rows of unsettled sessions are made. */ -}}
{{define "settled_range"}}
        {{- if .From}} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
        {{- if .To}} AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
{{- end}}
{{define "settled_after"}}
    {{- if .After}}
    AND (at, session_id, usage_id) > (fromUnixTimestamp64Nano({after_at:Int64}, 'UTC'), unhex({after_session:String}), unhex({after_usage:String}))
    {{- end}}
{{- end}}
{{define "settled_order"}}
ORDER BY at, session_id, usage_id
LIMIT {limit:UInt64}
{{- end}}
{{define "settled_rows"}}SELECT {{template "settled_charge_columns"}}
FROM settled_charges
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}{{template "settled_range" .}}{{template "settled_mask" .}}
WHERE 1{{template "settled_after" .}}{{template "settled_order" .}}
{{- end}}
{{define "unsettled_rows"}}tenant = {tenant:String} AND {{template "current"}} AND session_id IN (SELECT session_id FROM unsettled_sessions){{end -}}
SELECT
    records.session_id AS session, stream_id AS stream, usage_id, scope, mode, span_id, run_id, node_id, agent,
    model, provider, service_tier, speed, region, dialect, toUnixTimestamp64Nano(at) AS at_ns, version, stated,
    requested_model, stated_cost, stated_currency, request_id, message_id, toUInt64(NOT startsWith(scope, 'rest:')) AS calls,
    input AS input_sum, cache_read AS cache_read_sum, cache_write_5m AS cache_write_5m_sum, cache_write_1h AS cache_write_1h_sum,
    output AS output_sum, reasoning AS reasoning_sum, {{template "record_parts"}}, web_fetches,
    {{template "packed_tags" "tags"}} AS packed_tags,
    [{{range $i, $tag := .Tags}}{{if $i}}, {{end}}cell_tags[{tag_{{$i}}:String}]{{end}}]::Array(String) AS cell_tags
FROM (
{{- if .Unsettled}}
SELECT * FROM ({{template "settled_rows" .}})
UNION ALL
SELECT {{template "settled_charge_columns"}}
FROM ({{template "made_charges" (.Made (render "unsettled_rows" .))}})
WHERE 1{{template "settled_range" .}}{{template "settled_after" .}}
{{- template "settled_order" .}}
{{- else}}
{{template "settled_rows" .}}
{{- end}}
) AS records
{{- template "settled_order" .}}
