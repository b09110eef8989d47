{{- /* Which of the named notes a session has, or had before they were deleted. */ -}}
SELECT DISTINCT note_id
FROM notes
PREWHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "visible_of_session"}}
WHERE note_id IN {ids:Array(String)}
