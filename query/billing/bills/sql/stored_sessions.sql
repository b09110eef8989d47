{{- /* Which of some sessions have a stream. */ -}}
SELECT DISTINCT session_id FROM streams WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND {{template "visible_among" " AND session_id IN {sessions:Array(String)}"}}
