{{- /* The spans that are open in open sessions, of each session the first by their start, and how many it has. A span
without an end is open if a live stream has it, with the status there. */ -}}
{{- /* live_streams: the streams that have not ended and whose recorder is alive. */ -}}
{{define "live_streams"}}
    SELECT session_id, stream_id
    FROM ({{template "stream_parts" (render "rows_of_streams" .)}})
    WHERE stream_ended = 0 AND {{template "alive" "toUnixTimestamp64Nano(stream_last)"}}
{{- end -}}
{{define "rows_of_streams"}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND {{template "current_of_sessions"}}{{end -}}
SELECT session_id, span_id, span_parent, span_kind, span_name, live_status, span_agent, span_model, span_run,
    if(started_ns != 0, started_ns, seen_ns) AS begin_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame,
    count() OVER (PARTITION BY session_id) AS open_spans
FROM (
    SELECT{{template "merged_columns"}},
        argMaxIf(parent_id, rank, parent_id != '') AS span_parent, argMaxIf(run_id, rank, run_id != '') AS span_run,
        max(of_live) AS is_live, argMaxIf(status, rank, of_live) AS live_status
    FROM (SELECT *, {{template "span_rank"}},
            (session_id, stream_id) IN ({{template "live_streams" .}}) AS of_live
        FROM spans FINAL
        PREWHERE {{template "in_page" .}})
    GROUP BY session_id, span_id)
WHERE span_status IN ('', 'open', 'waiting') AND ended_ns = 0 AND is_live
ORDER BY session_id, begin_ns, first_seen, span_id
LIMIT {most:UInt64} BY session_id
