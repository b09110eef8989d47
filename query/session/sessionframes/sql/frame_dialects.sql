{{- /* The dialects of some streams. */ -}}
SELECT stream_id, argMax(dialect, (first_seq, version)) AS dialect_name
FROM streams
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND stream_id IN {streams:Array(String)}
  AND {{template "current_of_sessions"}}
GROUP BY stream_id
