{{- /* The rows of a session's streams that count. A session has few streams, so FINAL is
cheap here. */ -}}
SELECT {{template "stream_columns"}}, ''
FROM streams FINAL
WHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "current_of_session"}}
{{- template "expired"}}
