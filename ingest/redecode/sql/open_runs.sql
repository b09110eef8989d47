{{- /* How many runs of the session are open. */ -}}
SELECT count() FROM spans FINAL
WHERE tenant = {tenant:String} AND session_id = {session:String} AND kind = 'run' AND status IN ('', 'open', 'waiting')
  AND {{template "current_of_session"}}
