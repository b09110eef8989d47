{{- /* define only: the facts of the sessions of a page, on their days. The days stand in the
key before the sessions, so that this reads few rows of each. */ -}}
{{define "in_page"}}{{template "in_sessions" .}}
        AND (empty({days:Array(Date)}) OR (toDate(seen_at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)}))
{{- end}}
