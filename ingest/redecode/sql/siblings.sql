{{- /* How far the frames of one stream reach in each of some sessions. */ -}}
SELECT session_id, min(seq), max(seq) FROM frames
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) = {month:UInt32}
GROUP BY session_id
