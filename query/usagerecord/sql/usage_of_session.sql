{{- /* The usage records of some sessions, in order. Without Care, all that is stored of the
sessions, which are the records if no total is a running one and no record has several rows:
ClickHouse takes 10 times as long to plan the statement with care as this one. */ -}}
{{define "plain_usage"}}
    SELECT
        session_id, usage_id, stream_id, span_id, run_id, agent, model, provider, mode, scope,
        toUnixTimestamp64Nano(at) AS at_ns, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted, raw,
        requested_model, service_tier, speed, region, stated_cost, if(stated_cost = '', '', usage.stated_currency) AS stated_currency,
        request_id, message_id,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
        toInt64(usage.input_text) AS input_text, toInt64(usage.cache_read_text) AS cache_read_text,
        toInt64(usage.output_text) AS output_text, toInt64(usage.web_fetches) AS web_fetches,
        {{- template "added_parts"}}
    FROM usage FINAL
    PREWHERE {{template "in_found_sessions" .}}
{{end -}}
SELECT
    session_id, usage_id, stream_id, span_id, run_id, agent, model, provider, mode, scope, at_ns, stated, counted, {{if .WithoutRaw}}'' AS {{end}}raw,
    requested_model, service_tier, speed, region, stated_cost, stated_currency, request_id, message_id,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "record_parts"}},
    input_text, cache_read_text, output_text, web_fetches
FROM ({{if .Care}}{{template "careful_usage" (print "PREWHERE " (render "in_found_sessions" .))}}{{else}}{{template "plain_usage" .}}{{end}})
ORDER BY at_ns, stream_id, usage_id
