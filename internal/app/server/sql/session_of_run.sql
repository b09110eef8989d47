{{- /* The session that last recorded a run of a Compozy execution. */ -}}
SELECT session_id FROM spans
WHERE tenant = {tenant:String} AND dialect = 'compozy' AND run_id = {run:String} AND {{template "visible"}}
ORDER BY seen_at DESC LIMIT 1
