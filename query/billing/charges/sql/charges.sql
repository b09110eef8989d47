{{- /* packed_tags: the keys of a map and then its values, each after its length in bytes and a colon. */ -}}
{{define "packed_tags"}}arrayStringConcat(arrayMap(text -> concat(toString(length(text)), ':', text),
        arrayConcat(mapKeys({{.}})::Array(String), mapValues({{.}})))){{end -}}
{{- /* The usage records of a range, one row for each, in order of time. */ -}}
SELECT
    records.session_id AS session, records.stream_id AS stream, records.usage_id AS usage_id, records.scope AS scope, records.mode AS mode,
    records.span_id AS span_id, records.run_id AS run_id, records.node_id AS node_id, records.agent AS agent,
    records.model AS model, records.provider AS provider, records.service_tier AS service_tier, records.speed AS speed, records.region AS region,
    records.dialect AS dialect, records.at_ns AS at_ns, records.version AS version, records.stated AS stated,
    records.requested_model AS requested_model, records.stated_cost AS stated_cost, records.stated_currency AS stated_currency,
    records.request_id AS request_id, records.message_id AS message_id,
    toUInt64(NOT startsWith(records.scope, 'rest:')) AS calls, input AS input_sum, cache_read AS cache_read_sum,
    cache_write_5m AS cache_write_5m_sum, cache_write_1h AS cache_write_1h_sum, output AS output_sum, reasoning AS reasoning_sum,
    {{template "record_parts"}}, records.web_fetches AS web_fetches,
    {{template "packed_tags" "mapFilter((tag, value) -> value != '', mapUpdate(session_tags.of_session, mapFilter((tag, value) -> value != '', stream_tags.of_stream)))"}} AS packed_tags,
    [{{range $i, $value := .CellTags}}{{if $i}}, {{end}}{{$value}}{{end}}]::Array(String) AS cell_tags
{{template "report_records" .}}
{{- if .After}}
    AND (at_ns, records.session_id, records.usage_id) > ({after_at:Int64}, unhex({after_session:String}), unhex({after_usage:String}))
{{- end}}
ORDER BY at_ns, session, usage_id
{{- if .Limited}}
LIMIT {limit:UInt64}
{{- end}}
