{{- /* What rules observe of the spans of some sessions: those without an end, the latest tool calls, and when a
model call ended last; of all spans, or of those that began since a time and some others. A span is open if a live stream
has it, with the status there; one without an end in other streams only is left: it is returned to be read again. */ -}}
{{define "spans_of_sessions"}}PREWHERE {{template "in_sessions"}}
                {{- if .Since}} AND (seen_at >= fromUnixTimestamp64Nano({since:Int64}) OR span_id IN {open:Array(String)}){{end}}{{end -}}
SELECT session_id, span_id, span_parent, span_kind, span_name, if(is_open, live_status, span_status) AS status_now,
    span_run, span_agent, span_error, begin_ns, ended_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame,
    model_ns, no_end AND NOT is_open AS is_left
FROM (
    SELECT *, if(started_ns != 0, started_ns, if(ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns)) AS begin_ns,
        span_status IN ('', 'open', 'waiting') AND ended_ns = 0 AS no_end, no_end AND live_views > 0 AS is_open,
        maxIf(ended_ns, span_kind = 'llm') OVER (PARTITION BY session_id) AS model_ns
    FROM (
        SELECT{{template "merged_columns"}},
            argMaxIf(parent_id, rank, parent_id != '') AS span_parent, argMaxIf(run_id, rank, run_id != '') AS span_run,
            argMax(substringUTF8(error, 1, 1000), rank) AS span_error,
            countIf(stream_id IN {live:Array(String)}) AS live_views, argMaxIf(status, rank, stream_id IN {live:Array(String)}) AS live_status
        FROM (SELECT *, {{template "span_rank"}}
            FROM spans FINAL
            {{template "spans_of_sessions" .}})
        GROUP BY session_id, span_id))
WHERE no_end OR span_kind = 'tool'
ORDER BY session_id, is_open DESC, begin_ns DESC, first_seen DESC, span_id
LIMIT {most:UInt64} BY session_id
