{{- /* The spans without an end of open sessions, of each session the first by their start, and how many
it has. */ -}}
SELECT session_id, span_id, span_parent, span_kind, span_name, span_status, span_agent, span_model, span_run,
    if(started_ns != 0, started_ns, seen_ns) AS begin_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame,
    count() OVER (PARTITION BY session_id) AS open_spans
FROM (
    SELECT{{template "merged_columns"}},
        argMaxIf(parent_id, rank, parent_id != '') AS span_parent, argMaxIf(run_id, rank, run_id != '') AS span_run
    FROM (SELECT *, {{template "span_rank"}}
        FROM spans FINAL
        PREWHERE {{template "in_page" .}})
    GROUP BY session_id, span_id)
WHERE span_status IN ('', 'open', 'waiting') AND ended_ns = 0
ORDER BY session_id, begin_ns, first_seen, span_id
LIMIT {most:UInt64} BY session_id
