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
all that a record may be. Where several rows are of one record, because several streams
report it or one reports it anew, tokens are those of the last row; what else a price
depends on is that of the last row that states it; the time is the record_time. A running total adds its difference to
the record before it in its scope; a lower total than before began anew and counts whole.
A cost that is stated with a running total is of no call, and is left out. The rows must
hold all that the streams wrote of the sessions' scopes so far. */ -}}
{{define "careful_part"}}toInt64(now_{{.}}) - if(adds_difference, toInt64(lagInFrame(now_{{.}}) OVER scope_so_far), 0) AS {{.}}{{end}}
{{define "last_stated"}}anyIf({{.}}, {{.}} != '') OVER last_first AS last_{{.}}{{end}}
{{- /* record_time: when a record was stated last, in the stream that states it earliest. A file has its
own times, also where it is recorded a second time or long after what a tap saw. */ -}}
{{define "record_time"}}arrayMin((maxMap([stream_id], [toUnixTimestamp64Nano(at)]) OVER last_first).2){{end}}
{{define "careful_usage"}}
    SELECT
        session_id, stream_id, usage_id, at_ns, span_id, run_id, node_id, agent, dialect, version, mode, scope, raw, stated, counted,
        last_model AS model, last_provider AS provider, last_requested_model AS requested_model, last_service_tier AS service_tier,
        last_speed AS speed, last_region AS region, last_request_id AS request_id, last_message_id AS message_id,
        if(mode = 'running', '', last_stated_cost) AS stated_cost, if(mode = 'running', '', last_currency) AS stated_currency,
        mode = 'running' AND counted >= counted_before AS adds_difference,
        {{template "careful_part" "input"}},
        {{template "careful_part" "cache_read"}},
        {{template "careful_part" "cache_write_5m"}},
        {{template "careful_part" "cache_write_1h"}},
        {{template "careful_part" "output"}},
        {{template "careful_part" "reasoning"}},
        {{template "careful_part" "input_text"}},
        {{template "careful_part" "input_audio"}},
        {{template "careful_part" "input_image"}},
        {{template "careful_part" "input_video"}},
        {{template "careful_part" "cache_read_text"}},
        {{template "careful_part" "cache_read_audio"}},
        {{template "careful_part" "cache_read_image"}},
        {{template "careful_part" "cache_read_video"}},
        {{template "careful_part" "output_text"}},
        {{template "careful_part" "output_audio"}},
        {{template "careful_part" "output_image"}},
        {{template "careful_part" "output_video"}},
        {{template "careful_part" "web_searches"}},
        {{template "careful_part" "web_fetches"}},
        {{template "careful_part" "code_executions"}},
        lagInFrame(counted) OVER scope_so_far AS counted_before
    FROM (
        SELECT *,
            last_parts.1 AS now_input_text,
            last_parts.2 AS now_input_audio,
            last_parts.3 AS now_input_image,
            last_parts.4 AS now_input_video,
            last_parts.5 AS now_cache_read_text,
            last_parts.6 AS now_cache_read_audio,
            last_parts.7 AS now_cache_read_image,
            last_parts.8 AS now_cache_read_video,
            last_parts.9 AS now_output_text,
            last_parts.10 AS now_output_audio,
            last_parts.11 AS now_output_image,
            last_parts.12 AS now_output_video,
            last_tools.1 AS now_web_searches,
            last_tools.2 AS now_web_fetches,
            last_tools.3 AS now_code_executions
        FROM (
            SELECT
                session_id, stream_id, usage_id, {{template "record_time"}} AS at_ns, version, scope, mode,
                span_id, run_id, node_id, agent, dialect, raw, total AS stated,
                input AS now_input, cache_read AS now_cache_read, cache_write_5m AS now_cache_write_5m,
                cache_write_1h AS now_cache_write_1h, output AS now_output, reasoning AS now_reasoning,
                input + cache_read + cache_write_5m + cache_write_1h + output + reasoning AS counted,
                row_number() OVER last_first AS place,
                {{template "last_stated" "model"}},
                {{template "last_stated" "provider"}},
                {{template "last_stated" "requested_model"}},
                {{template "last_stated" "service_tier"}},
                {{template "last_stated" "speed"}},
                {{template "last_stated" "region"}},
                {{template "last_stated" "request_id"}},
                {{template "last_stated" "message_id"}},
                {{template "last_stated" "stated_cost"}},
                anyIf(stated_currency, stated_cost != '') OVER last_first AS last_currency,
                anyIf(tuple({{template "all_parts"}}), {{template "any_part"}}) OVER last_first AS last_parts,
                anyIf(tuple(web_searches, web_fetches, code_executions), web_searches + web_fetches + code_executions != 0) OVER last_first AS last_tools
            FROM usage FINAL
            {{.}}
            WINDOW last_first AS (PARTITION BY session_id, usage_id ORDER BY at DESC, version DESC, stream_id DESC
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
        WHERE place = 1)
    WINDOW scope_so_far AS (PARTITION BY session_id, mode, scope ORDER BY at_ns, stream_id, version, usage_id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
{{- end}}
{{define "all_parts"}}input_text, input_audio, input_image, input_video, cache_read_text, cache_read_audio, cache_read_image, cache_read_video, output_text, output_audio, output_image, output_video{{end}}
{{define "any_part"}}input_text + input_audio + input_image + input_video + cache_read_text + cache_read_audio + cache_read_image + cache_read_video + output_text + output_audio + output_image + output_video != 0{{end}}
