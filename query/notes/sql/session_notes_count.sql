{{- /* How many notes a session has. */ -}}
SELECT count() AS notes
FROM notes FINAL
PREWHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "visible_of_session"}}
WHERE deleted = 0
