{{- /* The sessions of the table recent_sessions that have usage or calls, and whether their
records need care, as in sessions_of_month.sql. */ -}}
{{template "own_sessions" (render "of_recent" .)}}
{{- define "of_recent"}}tenant = {tenant:String} AND toDate(seen_at) >= {since:Date} AND {{template "current"}}
        AND session_id IN (SELECT session_id FROM recent_sessions)
{{- end}}
