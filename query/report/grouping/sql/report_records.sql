{{- /* define only: the usage records of a report, as rows named records, joined to what the
report groups them by. */ -}}
{{define "record_columns"}}session_id, stream_id, usage_id, scope, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, stated_cost, stated_currency{{end}}
{{define "stated_columns"}}requested_model, request_id, message_id{{end}}
{{define "report_records"}}FROM (
    SELECT {{template "record_columns"}}, toUnixTimestamp64Nano(at) AS at_ns, version, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
{{- template "added_parts"}}
        {{- if .Stated}},
        mode, toInt64(usage.web_fetches) AS web_fetches, {{template "stated_columns"}}
        {{- end}}
    FROM usage FINAL
    PREWHERE {{template "days" .}} AND {{template "current"}}
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
         {{template "plain" .}}
    {{- if .Running}}
    WHERE mode != 'running'
    {{- end}}
    {{- if .Careful}}
    UNION ALL
    SELECT {{template "record_columns"}}, at_ns, version, stated, counted,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}
        {{- if .Stated}},
        mode, web_fetches, {{template "stated_columns"}}
        {{- end}}
    FROM ({{template "careful_usage" (render "exceptions" .)}})
    {{- if .Among}}
    WHERE session_id IN (SELECT session_id FROM among_sessions)
    {{- end}}
    {{- end}}
) AS records
{{- template "tag_joins" (.TagJoins (render "streams_of_the_range" .))}}
{{- if .Stated}}{{template "tag_maps" .}}{{end}}
WHERE 1
{{- if .From}} AND at_ns >= {from:Int64}{{end}}
{{- if .To}} AND at_ns < {to:Int64}{{end}}
{{- end}}
{{- /* streams_of_the_range: all rows of streams of sessions that have records in the range. A
session with a row outside of it crosses an end of the range. */ -}}
{{define "streams_of_the_range"}}
        {{- if or .From .To}} AND ({{template "near" .}}
            {{- if .Crossing}} OR session_id IN (SELECT session_id FROM crossing_sessions){{end}}){{end}}
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
{{- end}}
