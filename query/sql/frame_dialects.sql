{{- /* The dialects of some streams. */ -}}
SELECT stream_id, argMax(dialect, (first_seq, version)) AS dialect_name
FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id IN {streams:Array(String)}
GROUP BY stream_id
