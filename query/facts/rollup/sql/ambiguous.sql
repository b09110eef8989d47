{{- /* Sessions that are in several batches, or were in one that is replaced and are in none. */ -}}
SELECT tenant, session_id FROM ({{template "batch_rows" "batches"}})
WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM ({{template "batch_rows" "written"}}))
GROUP BY tenant, session_id
HAVING uniqExact(batch) > 1
UNION DISTINCT
SELECT tenant, session_id FROM ({{template "batch_rows" "replaced"}})
WHERE (tenant, session_id) NOT IN (SELECT tenant, session_id FROM ({{template "batch_rows" "written"}}))
{{- /* batch_rows: the sessions of the batches that a parameter, the dot, lists, repeated. */ -}}
{{define "batch_rows"}}SELECT batch, tenant, session_id FROM settled_usage WHERE batch IN { {{- .}}:Array(String)}
    UNION ALL SELECT batch, tenant, session_id FROM settled_calls WHERE batch IN { {{- .}}:Array(String)}
    UNION ALL SELECT batch, tenant, session_id FROM settled_tools WHERE batch IN { {{- .}}:Array(String)}{{end}}
