{{- /* How many rows name a span of a session. */ -}}
SELECT count() AS rows
FROM spans
WHERE tenant = {tenant:String} AND session_id = {session:String} AND span_id = {span:String} AND {{template "current_of_session"}}
