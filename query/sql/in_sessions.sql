{{- /* define only: the facts of some sessions, on the days on which they were told. */ -}}
{{define "in_sessions"}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
{{- end}}
