{{- /* Writes what the list shows of the sessions of a batch, but for their usage. Sessions with a
stream that has not ended are left out: how they stand depends on the time. */ -}}
INSERT INTO settled_sessions (batch, tenant, session_id, stream_id, started_ns, last_ns, end_ns, last_ended_ns, last_reason,
    streams, frames, bytes, cut, title, dialects, tag_keys, tag_values,
    runs, open_runs, unclosed_runs, failed_runs, cancelled_runs, last_run, tool_calls, tool_errors, unclosed_spans, open_spans, agents, models,
    {{template "span_ends_columns"}})
SELECT {batch:String}, {tenant:String}, of_streams.session_id, of_streams.first_stream, started_ns, last_ns, end_ns, last_ended_ns, last_reason,
    streams, frames, bytes, cut, title, dialects, tag_keys, tag_values,
    runs, open_runs, unclosed_runs, failed_runs, cancelled_runs, last_run, tool_calls, tool_errors, unclosed_spans, open_spans, agents, models,
    {{template "span_ends_columns"}}
FROM (
    SELECT
        session_id, min(stream_id) AS first_stream, {{- template "stream_times"}}
        count() AS streams,
        sum(stream_frames) AS frames,
        sum(stream_bytes) AS bytes,
        {{- template "stream_texts"}}
    FROM ( {{- template "stream_parts" (render "streams_of_batch" .)}})
    GROUP BY session_id
    HAVING countIf(stream_ended = 0) = 0
) AS of_streams
LEFT JOIN (
    SELECT
        session_id, {{- template "span_counts"}}
    FROM ({{template "merged_spans" (render "spans_of_batch" .)}})
    GROUP BY session_id
) AS of_spans ON of_streams.session_id = of_spans.session_id
LEFT JOIN ({{template "span_ends" (render "ended_of_batch" .)}}) AS of_ends ON of_streams.session_id = of_ends.session_id
{{- define "streams_of_batch"}}tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions) AND {{template "current"}}{{end}}
{{- define "spans_of_batch"}}PREWHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions) AND {{template "current"}}
        AND toDate(seen_at) >= (SELECT toDate(min(first_at)) - 1 FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions))
{{- end}}

{{- define "ended_of_batch"}}
            SELECT of_errors.*, session_last_ns
            FROM ({{template "spans_with_errors" (render "spans_of_batch" .)}}) AS of_errors
            INNER JOIN (
                SELECT session_id, toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS session_last_ns
                FROM streams FINAL
                PREWHERE {{template "streams_of_batch" .}}
                GROUP BY session_id
            ) AS of_last ON of_errors.session_id = of_last.session_id
{{- end}}
