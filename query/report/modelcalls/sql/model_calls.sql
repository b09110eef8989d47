{{- /* define only: a row for each call of a model. */ -}}
{{define "exceptional_calls"}}{{template "exceptions" .}} WHERE kind = 'llm'{{end}}
{{- /* call_spans: the spans of calls. What several streams wrote of one is merged as in
merged_spans. */ -}}
{{define "call_spans"}}
    SELECT session_id, span_id, model AS call_model, provider AS call_provider, agent AS call_agent, status AS call_status,
        parent_id, run_id, node_id, error, attributes,
        toUnixTimestamp64Nano(started) AS started_ns, toUnixTimestamp64Nano(ended) AS ended_ns,
        toUnixTimestamp64Nano(first_token) AS first_token_ns,
        toUnixTimestamp64Nano(seen_at) AS seen_ns, stream_id AS first_stream, seen_seq AS first_frame
    FROM spans FINAL
    PREWHERE {{template "days" .}} AND {{template "current"}}
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
         {{template "plain" .}}
    WHERE kind = 'llm'
    {{- if .Careful}}
    UNION ALL
    SELECT session_id, span_id,
        argMaxIf(model, rank, model != ''), argMaxIf(provider, rank, provider != ''), argMaxIf(agent, rank, agent != ''),
        argMax(status, rank), argMaxIf(parent_id, rank, parent_id != ''), argMaxIf(run_id, rank, run_id != ''),
        argMaxIf(node_id, rank, node_id != ''), argMax(error, rank), argMaxIf(attributes, rank, attributes != ''),
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0),
        argMax(toUnixTimestamp64Nano(ended), rank),
        minIf(toUnixTimestamp64Nano(first_token), toUnixTimestamp64Nano(first_token) != 0),
        min(toUnixTimestamp64Nano(seen_at)),
        argMin(stream_id, (seen_at, stream_id, seen_seq)), argMin(seen_seq, (seen_at, stream_id, seen_seq))
    FROM (SELECT *, {{template "span_rank"}}
        FROM spans FINAL
        {{template "exceptional_calls" .}})
    {{- if .Among}}
    WHERE session_id IN (SELECT session_id FROM among_sessions)
    {{- end}}
    GROUP BY session_id, span_id
    {{- end}}
{{- end}}
{{- /* call_days: the days of the range and the one after it, on which the calls of its last
day may end. */ -}}
{{define "call_days"}}tenant = {tenant:String} AND {{template "current"}}
        {{- if .From}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({care_from:Int64}, 'UTC')){{end}}
        {{- if .To}} AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano({near_to:Int64}, 'UTC')){{end}}
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
{{- end}}
{{- /* pieces: when the chunks of each message of a kind arrived, of the stream that saw most
of it. A message in one piece is one chunk. */ -}}
{{define "piece_columns"}}
        argMax(span_id, grown) AS of_span, argMax(run_id, grown) AS of_run, argMax(node_id, grown) AS of_node,
        argMax(began, grown) AS began_ns, argMax(times, grown) AS chunk_times
    FROM (
        SELECT session_id, message_id, span_id, run_id, node_id, toUnixTimestamp64Nano(started) AS began,
            if(empty(chunk_at), [began], chunk_at) AS times, (complete, length(chunk_at), version, stream_id) AS grown
        FROM messages FINAL
{{- end}}
{{- /* chunks: when the output of each call arrived: its text and thinking, and the arguments
of tools, which belong to the call of their run and node that began last before them. */ -}}
{{define "chunks"}}
    SELECT session_id, span_id, arraySort(groupArrayArray(chunk_times)) AS arrived
    FROM (
        SELECT session_id, of_span AS span_id, chunk_times FROM (
            SELECT session_id, message_id,{{template "piece_columns"}}
                PREWHERE {{template "call_days" .}}
                WHERE kind IN ('assistant', 'thinking') AND length(text) > 0)
            GROUP BY session_id, message_id)
        UNION ALL
        SELECT arguments.session_id AS session_id, calls.span_id AS span_id, arguments.chunk_times AS chunk_times
        FROM (
            SELECT session_id, message_id,{{template "piece_columns"}}
                PREWHERE {{template "call_days" .}}
                WHERE kind = 'tool_arguments' AND length(text) > 0)
            GROUP BY session_id, message_id) AS arguments
        ASOF INNER JOIN (
            SELECT session_id, span_id, run_id, node_id, started_ns, ended_ns FROM ({{template "call_spans" .}}) WHERE started_ns != 0) AS calls
        ON arguments.session_id = calls.session_id AND arguments.of_run = calls.run_id AND arguments.of_node = calls.node_id
            AND arguments.began_ns >= calls.started_ns
        WHERE calls.ended_ns = 0 OR arguments.began_ns <= calls.ended_ns)
    GROUP BY session_id, span_id
{{- end}}
{{- /* outputs: the tokens of each call that a source reports by itself. */ -}}
{{define "outputs"}}
    SELECT session_id, span_id, sum(generated) AS output_tokens, sum(total_tokens) AS all_tokens
    FROM (
        SELECT session_id, usage_id, argMax(usage.span_id, (at, version, stream_id)) AS span_id,
            argMax(output + reasoning, (at, version, stream_id)) AS generated,
            argMax(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning, (at, version, stream_id)) AS total_tokens
        FROM usage FINAL
        PREWHERE {{template "call_days" .}}
        WHERE mode != 'running' AND NOT startsWith(scope, 'rest:')
        GROUP BY session_id, usage_id)
    WHERE span_id != ''
    GROUP BY session_id, span_id
{{- end}}
{{- /* ends: why runs ended. It is the reason of the last call of a run that reports none. */ -}}
{{define "ends"}}
    SELECT session_id, span_id, argMax(attributes, version) AS run_attributes, argMax(error, version) AS run_error
    FROM spans FINAL
    PREWHERE {{template "call_days" .}}
    WHERE kind = 'run' AND (position(attributes, '"stop_reason"') > 0 OR error != '')
    GROUP BY session_id, span_id
{{- end}}
{{define "stop_reason"}}if(JSONExtractString({{.}}, 'stop_reason') = '', JSONExtractString({{.}}, 'stop_reasons', 1), JSONExtractString({{.}}, 'stop_reason')){{end}}
{{define "model_calls"}}
    SELECT *,
        multiIf(
            lower(stop_reason) IN {truncating:Array(String)}, 'truncated',
            lower(stop_reason) IN {refusing:Array(String)}, 'refused',
            call_status IN ('', 'open', 'waiting'), 'open',
            call_status) AS outcome,
        started_ns != 0 AND first_token_ns > started_ns AS has_first_token,
        first_token_ns - started_ns AS first_token_took,
        call_status IN ('ok', 'error', 'cancelled') AND started_ns != 0 AND ended_ns > started_ns AS has_duration,
        ended_ns - started_ns AS took_ns,
        arrayPopFront(arrayDifference(arrived)) AS gaps,
        length(gaps) > 0 AS streamed,
        toUInt64(arrayCount(g -> g > {stall:Int64}, gaps)) AS stalls,
        if(streamed, arrayMax(gaps), 0) AS longest_ns,
        -- The first chunk is output before the time that is measured: the rate is of what follows it.
        streamed AND output_tokens > 0 AND arrived[-1] > arrived[1] AS has_rate,
        if(has_rate, output_tokens / ((arrived[-1] - arrived[1]) / 1e9), 0) AS rate
    FROM (
        SELECT spans.session_id AS session_id, spans.span_id AS span_id, call_model, call_provider, call_agent, call_status,
            run_id, started_ns, ended_ns, first_token_ns, seen_ns, first_stream, first_frame,
            row_number() OVER of_run = 1 AS last_of_run,
            {{template "stop_reason" "attributes"}} AS own_reason,
            if(own_reason = '' AND last_of_run, {{template "stop_reason" "run_attributes"}}, own_reason) AS stop_reason,
            if(error = '' AND last_of_run AND call_status = 'error', run_error, error) AS call_error,
            if(last_of_run, JSONExtractUInt(run_attributes, 'http_status'), 0) AS http_status,
            chunks.arrived AS arrived, outputs.output_tokens AS output_tokens, outputs.all_tokens AS all_tokens,
            lagInFrame(call_status) OVER in_order IN ('error', 'unclosed')
                AND started_ns - greatest(lagInFrame(ended_ns) OVER in_order, lagInFrame(started_ns) OVER in_order) BETWEEN 0 AND {retry_within:Int64} AS retry
        FROM ({{template "call_spans" .}}) AS spans
        LEFT ANY JOIN ({{template "chunks" .}}) AS chunks ON spans.session_id = chunks.session_id AND spans.span_id = chunks.span_id
        LEFT ANY JOIN ({{template "outputs" .}}) AS outputs ON spans.session_id = outputs.session_id AND spans.span_id = outputs.span_id
        LEFT ANY JOIN ({{template "ends" .}}) AS ends ON spans.session_id = ends.session_id AND spans.parent_id = ends.span_id
        WINDOW
            of_run AS (PARTITION BY spans.session_id, parent_id ORDER BY seen_ns DESC, first_frame DESC, spans.span_id DESC),
            in_order AS (PARTITION BY spans.session_id, call_agent, call_model ORDER BY seen_ns, first_frame, spans.span_id
                         ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
    WHERE 1
    {{- if .From}} AND seen_ns >= {from:Int64}{{end}}
    {{- if .To}} AND seen_ns < {to:Int64}{{end}}
    {{- if .Models}} AND call_model IN {models:Array(String)}{{end}}
    {{- if .Providers}} AND call_provider IN {providers:Array(String)}{{end}}
    {{- if .Agents}} AND call_agent IN {agents:Array(String)}{{end}}
    {{- if .Outcomes}} AND outcome IN {outcomes:Array(String)}{{end}}
{{- end}}
