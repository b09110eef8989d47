{{- /* Whether a session has a stream that was not deleted. */ -}}
SELECT count() > 0
FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "visible_of_session"}}
