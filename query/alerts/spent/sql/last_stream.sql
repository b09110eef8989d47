{{- /* The stream of a session that began last. */ -}}
SELECT max(stream_id) AS last_stream
FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "visible_of_session"}}
