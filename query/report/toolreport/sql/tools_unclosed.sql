{{- /* The tool calls without an end that do not run, with the longest time that they can have
lasted first. That is until their stream ended, or their session where several streams speak of
them or may still bring a result; the run around them may have ended before. */ -}}
{{define "without_end"}}('', 'open', 'waiting', 'unclosed'){{end -}}
SELECT session_id, span_id, span_name, span_agent, span_status, started_ns, seen_ns,
    greatest(if(ended_ns != 0, ended_ns, end_ns) - begin_ns, 0) AS took_ns
FROM (
    SELECT *, if(span_status = 'unclosed', span_stream, '') AS last_stream,
        multiIf(started_ns != 0, started_ns, ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns) AS begin_ns
    FROM ({{template "tool_calls" .}})
    WHERE span_status IN {{template "without_end"}} AND NOT runs) AS calls
INNER JOIN (
    SELECT session_id, stream_id AS last_stream,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at, ended))) AS end_ns
    FROM streams
    WHERE tenant = {tenant:String} AND session_id IN (
        SELECT session_id FROM spans WHERE {{template "care_days" .}} AND kind = 'tool' AND status IN {{template "without_end"}})
    GROUP BY GROUPING SETS ((session_id, stream_id), (session_id))
) AS ends USING (session_id, last_stream)
WHERE took_ns >= {least:Int64}
ORDER BY took_ns DESC, seen_ns, session_id, span_id
LIMIT {batch:UInt64} OFFSET {skip:UInt64}
