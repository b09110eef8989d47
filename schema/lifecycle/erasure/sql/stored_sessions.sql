{{- /* Those of some sessions that are stored. */ -}}
SELECT DISTINCT session_id FROM streams WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
