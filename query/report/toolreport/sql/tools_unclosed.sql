{{- /* The tool calls without an end that do not run, with the longest time that they can have
lasted first: the run around them may have ended before. */ -}}
SELECT session_id, span_id, span_name, span_agent, span_status, started_ns, seen_ns, first_stream, first_frame, longest_ns AS took_ns
FROM (
    SELECT *, greatest(latest_ns - multiIf(started_ns != 0, started_ns, ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns), 0) AS longest_ns
    FROM ({{template "tool_calls" .}}))
WHERE span_status IN {{template "without_end"}} AND NOT runs AND longest_ns >= {least:Int64}
ORDER BY longest_ns DESC, seen_ns, session_id, span_id
LIMIT {batch:UInt64} OFFSET {skip:UInt64}
