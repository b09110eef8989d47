{{- /* The usage records of one session, in order. */ -}}
SELECT
    usage_id, stream_id, span_id, run_id, agent, model, provider, service_tier, speed, region, mode, scope, at_ns, stated, counted, raw,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "record_parts"}}
FROM ({{template "careful_usage" (print "PREWHERE " (render "in_sessions" .))}})
ORDER BY at_ns, stream_id, usage_id
