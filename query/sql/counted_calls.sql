{{- /* define only: calls of models as reports count them, in the columns of settled_calls. What is
settled is read from there; what changed since is made in the same way from the tables that the
sink writes. */ -}}
{{- /* call_spans: the spans of calls. What several streams wrote of one is merged as in merged_spans. */ -}}
{{define "call_spans"}}
    SELECT session_id, span_id,
        argMaxIf(model, rank, model != '') AS call_model, argMaxIf(provider, rank, provider != '') AS call_provider,
        argMaxIf(agent, rank, agent != '') AS call_agent, argMax(status, rank) AS call_status,
        argMaxIf(parent_id, rank, parent_id != '') AS parent_id, argMaxIf(run_id, rank, run_id != '') AS run_id,
        argMaxIf(node_id, rank, node_id != '') AS node_id, argMax(error, rank) AS error, argMaxIf(attributes, rank, attributes != '') AS attributes,
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
        argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
        minIf(toUnixTimestamp64Nano(first_token), toUnixTimestamp64Nano(first_token) != 0) AS first_token_ns,
        min(toUnixTimestamp64Nano(seen_at)) AS seen_ns,
        argMin(stream_id, (seen_at, stream_id, seen_seq)) AS first_stream, argMin(seen_seq, (seen_at, stream_id, seen_seq)) AS first_frame
    FROM (SELECT *, {{template "span_rank"}}
        FROM spans FINAL
        PREWHERE {{.}}
        WHERE kind = 'llm')
    GROUP BY session_id, span_id
{{- end}}
{{- /* pieces: when the chunks of each message of a kind arrived, of the stream that saw most
of it, and saw it first. A message in one piece is one chunk. */ -}}
{{define "piece_columns"}}
        argMax(span_id, grown) AS of_span, argMax(run_id, grown) AS of_run, argMax(node_id, grown) AS of_node,
        argMax(began, grown) AS began_ns, argMax(times, grown) AS chunk_times
    FROM (
        SELECT session_id, message_id, span_id, run_id, node_id, toUnixTimestamp64Nano(started) AS began,
            if(empty(chunk_at), [began], chunk_at) AS times, (complete, length(chunk_at), -began, version, stream_id) AS grown
        FROM messages FINAL
{{- end}}
{{- /* call_chunks: when the output of each call arrived: its text and thinking, and the arguments
of tools, which belong to the call of their run and node that began last before them. */ -}}
{{define "call_chunks"}}
    SELECT session_id, span_id, arraySort(groupArrayArray(chunk_times)) AS arrived
    FROM (
        SELECT session_id, of_span AS span_id, chunk_times FROM (
            SELECT session_id, message_id,{{template "piece_columns"}}
                PREWHERE {{.}}
                WHERE kind IN ('assistant', 'thinking') AND length(text) > 0)
            GROUP BY session_id, message_id)
        UNION ALL
        SELECT arguments.session_id AS session_id, calls.span_id AS span_id, arguments.chunk_times AS chunk_times
        FROM (
            SELECT session_id, message_id,{{template "piece_columns"}}
                PREWHERE {{.}}
                WHERE kind = 'tool_arguments' AND length(text) > 0)
            GROUP BY session_id, message_id) AS arguments
        ASOF INNER JOIN (
            SELECT session_id, span_id, run_id, node_id, started_ns, ended_ns FROM ({{template "call_spans" .}}) WHERE started_ns != 0) AS calls
        ON arguments.session_id = calls.session_id AND arguments.of_run = calls.run_id AND arguments.of_node = calls.node_id
            AND arguments.began_ns >= calls.started_ns
        WHERE calls.ended_ns = 0 OR arguments.began_ns <= calls.ended_ns)
    GROUP BY session_id, span_id
{{- end}}
{{- /* call_outputs: the tokens of each call that a source reports by itself. */ -}}
{{define "call_outputs"}}
    SELECT session_id, span_id, sum(generated) AS output_tokens, sum(total_tokens) AS all_tokens
    FROM (
        SELECT session_id, usage_id, argMax(usage.span_id, (at, version, stream_id)) AS span_id,
            argMax(output + reasoning, (at, version, stream_id)) AS generated,
            argMax(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning, (at, version, stream_id)) AS total_tokens
        FROM usage FINAL
        PREWHERE {{.}}
        WHERE mode != 'running' AND NOT startsWith(scope, 'rest:')
        GROUP BY session_id, usage_id)
    WHERE span_id != ''
    GROUP BY session_id, span_id
{{- end}}
{{- /* call_ends: why runs ended. It is the reason of the last call of a run that reports none. */ -}}
{{define "call_ends"}}
    SELECT session_id, span_id, argMax(attributes, (version, stream_id, seen_seq)) AS run_attributes, argMax(error, (version, stream_id, seen_seq)) AS run_error
    FROM spans FINAL
    PREWHERE {{.}}
    WHERE kind = 'run' AND (position(attributes, '"stop_reason"') > 0 OR error != '')
    GROUP BY session_id, span_id
{{- end}}
{{define "stop_reason"}}if(JSONExtractString({{.}}, 'stop_reason') = '', JSONExtractString({{.}}, 'stop_reasons', 1), JSONExtractString({{.}}, 'stop_reason')){{end}}
{{- /* made_calls: the rows of calls. The dot is the condition calls_of on the spans, messages and usage of
their sessions. */ -}}
{{define "made_calls"}}
SELECT
    session_id, first_stream AS stream_id, fromUnixTimestamp64Nano(seen_ns, 'UTC') AS at, first_frame AS seq, span_id, run_id,
    toLowCardinality(call_model) AS model, toLowCardinality(call_provider) AS provider, toLowCardinality(call_agent) AS agent,
    toLowCardinality(call_status) AS status,
    toLowCardinality(if(own_reason = '' AND last_of_run, {{template "stop_reason" "run_attributes"}}, own_reason)) AS stop_reason,
    if(own_error = '' AND last_of_run AND call_status = 'error', run_error, own_error) AS error,
    if(last_of_run, JSONExtractUInt(run_attributes, 'http_status'), 0) AS http_status,
    started_ns, ended_ns, first_token_ns, retry, output_tokens, all_tokens,
    length(arrived) AS chunks,
    arrayPopFront(arrayDifference(arrived)) AS gaps,
    arrived[-1] - arrived[1] AS spread_ns,
    if(empty(gaps), 0, arrayMax(gaps)) AS longest_ns,
    if(empty(gaps), 0, arrived[indexOf(gaps, longest_ns)]) AS longest_from_ns
FROM (
    SELECT spans.session_id AS session_id, spans.span_id AS span_id, call_model, call_provider, call_agent, call_status,
        run_id, started_ns, ended_ns, first_token_ns, seen_ns, first_stream, first_frame, spans.error AS own_error,
        row_number() OVER of_run = 1 AS last_of_run,
        {{template "stop_reason" "attributes"}} AS own_reason,
        run_attributes, run_error,
        chunks.arrived AS arrived, outputs.output_tokens AS output_tokens, outputs.all_tokens AS all_tokens,
        (lagInFrame(call_status) OVER in_order IN ('error', 'unclosed')
            AND started_ns - greatest(lagInFrame(ended_ns) OVER in_order, lagInFrame(started_ns) OVER in_order) BETWEEN 0 AND {retry_within:Int64})::Bool AS retry
    FROM ({{template "call_spans" .}}) AS spans
    LEFT ANY JOIN ({{template "call_chunks" .}}) AS chunks ON spans.session_id = chunks.session_id AND spans.span_id = chunks.span_id
    LEFT ANY JOIN ({{template "call_outputs" .}}) AS outputs ON spans.session_id = outputs.session_id AND spans.span_id = outputs.span_id
    LEFT ANY JOIN ({{template "call_ends" .}}) AS ends ON spans.session_id = ends.session_id AND spans.parent_id = ends.span_id
    WINDOW
        of_run AS (PARTITION BY spans.session_id, parent_id ORDER BY seen_ns DESC, first_frame DESC, spans.span_id DESC),
        in_order AS (PARTITION BY spans.session_id, call_agent, call_model ORDER BY seen_ns, first_frame, spans.span_id
                     ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
WHERE (SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0
    OR (session_id, span_id) NOT IN (
        SELECT session_id, span_id FROM usage WHERE {{.}} AND {{template "is_duplicate" ""}})
{{- end}}
{{- /* calls_of: a condition on the rows of the sessions of the table unsettled_sessions, on the days on which
they have any. A session whose streams are not stored yet may have rows of any day. */ -}}
{{define "calls_of"}}tenant = {tenant:String} AND {{template "current"}} AND session_id IN (SELECT session_id FROM unsettled_sessions)
        AND toDate(seen_at) >= (
            SELECT if(uniqExact(session_id) < (SELECT uniqExact(session_id) FROM unsettled_sessions), toDate(0),
                toDate(toDateTime(greatest(toUnixTimestamp64Second(min(first_at)), 86400), 'UTC')) - 1)
            FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions))
{{- end}}
{{- /* counted_calls: Columns of the settled rows that are in Where, and of those made of the sessions of
the table unsettled_sessions, of facts that are in Rows. */ -}}
{{define "counted_calls"}}
    {{- if .Settled}}
    SELECT {{.Columns}}
    FROM settled_calls
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}{{.Where}}{{template "settled_mask" .}}
    {{- end}}
    {{- if and .Settled .Unsettled}}
    UNION ALL
    {{- end}}
    {{- if .Unsettled}}
    SELECT {{.Columns}}
    FROM ({{template "made_calls" (print (render "calls_of" .) .Rows)}})
    {{- end}}
{{- end}}
