{{- /* The frames of the session's streams: the last number, how many, and the highest
generation. */ -}}
SELECT stream_id, max(seq), uniqExact(seq), max(generation) FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String}
GROUP BY stream_id
