{{- /* define only: the facts of some sessions, on the days on which they were written.
All of it is of the key, so it may stand in PREWHERE: then FINAL, which goes
before WHERE, has these rows to merge and no others. */ -}}
{{define "in_sessions"}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND {{template "current_of_sessions"}}
{{- end}}
{{- /* in_found_sessions: the same, where sessionstreams has found the sessions. If none of
them was ever deleted, ClickHouse need not plan the condition on tombstones. */ -}}
{{define "in_found_sessions"}}
{{- if .Undeleted}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND {{template "generation_of_sessions"}}
{{- else}}{{template "in_sessions"}}{{end}}
{{- end}}
