{{- /* The notes of a session, in the order in which they were written. */ -}}
SELECT note_id, span_id, toUnixTimestamp64Nano(at), text, labels, thumb, author, toUnixTimestamp64Nano(written_at), version
FROM notes FINAL
PREWHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "visible_of_session"}}
WHERE deleted = 0
ORDER BY written_at, note_id
