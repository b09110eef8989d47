{{- /* define only: usage records and what each adds to a sum. */ -}}
{{define "sums"}}countIf(NOT startsWith(scope, 'rest:')) AS calls,
    sum(input) AS input_sum,
    sum(cache_read) AS cache_read_sum,
    sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum,
    sum(output) AS output_sum,
    sum(reasoning) AS reasoning_sum,
    {{- template "part_sums"}},
    countIf(stated != 0 AND stated != counted) AS mismatches
{{- end}}
{{- /* careful_usage: records of the rows that the condition names, with care for
all that a record may be: written by several streams (the last one stands), or
a running total (it adds its difference to the record before it in its scope; a
lower total than before began anew and counts whole). The rows must hold all
that the streams wrote of the sessions' scopes so far. */ -}}
{{define "careful_part"}}toInt64(now_{{.}}) - if(adds_difference, toInt64(lagInFrame(now_{{.}}) OVER scope_so_far), 0) AS {{.}}{{end}}
{{define "careful_usage"}}
    SELECT
        session_id, stream_id, usage_id, at_ns, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, version, mode, scope, raw,
        stated, counted,
        mode = 'running' AND counted >= counted_before AS adds_difference,
        toInt64(now_input) - if(adds_difference, toInt64(lagInFrame(now_input) OVER scope_so_far), 0) AS input,
        toInt64(now_cache_read) - if(adds_difference, toInt64(lagInFrame(now_cache_read) OVER scope_so_far), 0) AS cache_read,
        toInt64(now_cache_write_5m) - if(adds_difference, toInt64(lagInFrame(now_cache_write_5m) OVER scope_so_far), 0) AS cache_write_5m,
        toInt64(now_cache_write_1h) - if(adds_difference, toInt64(lagInFrame(now_cache_write_1h) OVER scope_so_far), 0) AS cache_write_1h,
        toInt64(now_output) - if(adds_difference, toInt64(lagInFrame(now_output) OVER scope_so_far), 0) AS output,
        toInt64(now_reasoning) - if(adds_difference, toInt64(lagInFrame(now_reasoning) OVER scope_so_far), 0) AS reasoning,
        {{template "careful_part" "input_audio"}},
        {{template "careful_part" "input_image"}},
        {{template "careful_part" "input_video"}},
        {{template "careful_part" "cache_read_audio"}},
        {{template "careful_part" "cache_read_image"}},
        {{template "careful_part" "cache_read_video"}},
        {{template "careful_part" "output_audio"}},
        {{template "careful_part" "output_image"}},
        {{template "careful_part" "output_video"}},
        {{template "careful_part" "web_searches"}},
        {{template "careful_part" "code_executions"}},
        {{template "careful_part" "web_fetches"}},
        requested_model, stated_cost, stated_currency, request_id, message_id,
        lagInFrame(counted) OVER scope_so_far AS counted_before
    FROM (
        SELECT
            session_id, stream_id, usage_id, toUnixTimestamp64Nano(at) AS at_ns, version, scope, mode,
            span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, raw, total AS stated,
            input AS now_input, cache_read AS now_cache_read, cache_write_5m AS now_cache_write_5m,
            cache_write_1h AS now_cache_write_1h, output AS now_output, reasoning AS now_reasoning,
            input + cache_read + cache_write_5m + cache_write_1h + output + reasoning AS counted,
            input_audio AS now_input_audio, input_image AS now_input_image, input_video AS now_input_video,
            cache_read_audio AS now_cache_read_audio, cache_read_image AS now_cache_read_image, cache_read_video AS now_cache_read_video,
            output_audio AS now_output_audio, output_image AS now_output_image, output_video AS now_output_video,
            web_searches AS now_web_searches, code_executions AS now_code_executions, web_fetches AS now_web_fetches,
            requested_model, stated_cost, stated_currency, request_id, message_id
        FROM usage FINAL
        {{.}}
        ORDER BY at DESC, version DESC, stream_id DESC
        LIMIT 1 BY session_id, usage_id)
    WINDOW scope_so_far AS (PARTITION BY session_id, mode, scope ORDER BY at_ns, stream_id, version, usage_id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
{{- end}}
