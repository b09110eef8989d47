{{- /* The frames of one window. Of a frame that was stored several times the one that
belongs to the session comes first; all have the same bytes. */ -}}
SELECT session_id, seq, toUnixTimestamp64Nano(captured_at), toInt8(direction), toInt8(transport), flags, cuts, raw
{{template "of_stream"}} AND seq <= {to:UInt64}
ORDER BY seq, session_id = {session:String} DESC, generation DESC
LIMIT 1 BY seq
