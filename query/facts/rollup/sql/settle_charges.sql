{{- /* Writes a batch. The sessions come in the tables plain_sessions and care_sessions. */ -}}
INSERT INTO settled_charges (batch, tenant, {{template "settled_charge_columns"}})
SELECT {batch:String}, {tenant:String}, {{template "settled_charge_columns"}}
FROM ({{template "made_charges" (.Made (render "plain_rows" .) (render "care_rows" .) (render "streams_of_rows" .))}})
{{- define "rows_since"}}tenant = {tenant:String} AND toDate(seen_at) >= {since:Date} AND {{template "current"}}{{end}}
{{- define "plain_rows"}}{{template "rows_since"}}
        AND session_id IN (SELECT session_id FROM plain_sessions){{end}}
{{- define "care_rows"}}{{template "rows_since"}}
        AND session_id IN (SELECT session_id FROM care_sessions){{end}}
{{- define "streams_of_rows"}} AND session_id IN (SELECT session_id FROM plain_sessions UNION ALL SELECT session_id FROM care_sessions){{end}}
