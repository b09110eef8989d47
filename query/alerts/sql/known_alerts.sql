{{- /* Which of some alerts are stored, and not deleted. */ -}}
SELECT DISTINCT alert_id
FROM alerts
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND alert_id IN {ids:Array(String)}
    AND {{template "visible"}}
