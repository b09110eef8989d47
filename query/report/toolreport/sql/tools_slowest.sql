{{- /* The tool calls that took longest, or that run for longest. */ -}}
SELECT session_id, span_id, span_name, span_agent, span_status, started_ns, took_ns, runs, seen_ns, first_stream, first_frame
FROM ({{template "tool_calls" .}})
WHERE timed OR runs
ORDER BY took_ns DESC, seen_ns, session_id, span_id
LIMIT {slowest:UInt64}
