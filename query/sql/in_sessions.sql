{{- /* define only: the facts of some sessions, on the days on which they were written.
All of it is of the key, so it may stand in PREWHERE: then FINAL, which goes
before WHERE, has these rows to merge and no others. */ -}}
{{define "in_sessions"}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND {{template "current_of_sessions"}}
{{- end}}
{{- /* in_found_sessions: the same, where sessionstreams has found the sessions. If none of
them was ever deleted or decoded anew, ClickHouse need not plan the conditions on that, which
takes it longer than to read the rows. */ -}}
{{define "in_found_sessions"}}
{{- if .Original}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND generation = 0
{{- else}}{{template "in_sessions"}}{{end}}
{{- end}}
