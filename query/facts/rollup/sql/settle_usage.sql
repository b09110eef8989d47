{{- /* Writes a batch. The sessions come in the tables plain_sessions and care_sessions. */ -}}
INSERT INTO settled_usage (batch, tenant, session_id, stream_id, at, rest, span_id, run_id, node_id, agent, dialect, class,
    provider, model, service_tier, speed, region, valid, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, tags)
SELECT {batch:String}, {tenant:String}, * FROM ({{template "made_usage" (.Made (render "plain_rows" .) (render "care_rows" .) (render "streams_of_rows" .))}})
{{- define "rows_since"}}tenant = {tenant:String} AND toDate(seen_at) >= {since:Date} AND {{template "current"}}{{end}}
{{- define "plain_rows"}}{{template "rows_since"}}
        AND session_id IN (SELECT session_id FROM plain_sessions){{end}}
{{- define "care_rows"}}{{template "rows_since"}}
        AND session_id IN (SELECT session_id FROM care_sessions){{end}}
{{- define "streams_of_rows"}} AND session_id IN (SELECT session_id FROM plain_sessions UNION ALL SELECT session_id FROM care_sessions){{end}}
