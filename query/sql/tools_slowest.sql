{{- /* The tool calls that took longest. */ -}}
SELECT session_id, span_id, span_name, span_agent, span_status, started_ns, took_ns, seen_ns
FROM ({{template "tool_calls" .}})
WHERE timed
ORDER BY took_ns DESC, seen_ns, session_id, span_id
LIMIT {slowest:UInt64}
