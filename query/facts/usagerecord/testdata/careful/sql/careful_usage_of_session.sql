{{- /* The usage records of some sessions, in order, as ClickHouse puts them together. */ -}}
SELECT
    session_id, usage_id, stream_id, version, span_id, run_id, agent, model, provider, mode, scope, at_ns, stated, counted, raw,
    requested_model, service_tier, speed, region, stated_cost, stated_currency, request_id, message_id,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "record_parts"}},
    input_text, cache_read_text, output_text, web_fetches
FROM ({{template "careful_usage" (print "PREWHERE " (render "in_found_sessions" .))}})
ORDER BY at_ns, stream_id, usage_id
