{{- /* Sessions that are in several batches, or were in one that is replaced and are in none. */ -}}
SELECT tenant, session_id FROM settled_usage
WHERE batch IN {batches:Array(String)} AND (tenant, session_id) IN (SELECT tenant, session_id FROM settled_usage WHERE batch IN {written:Array(String)})
GROUP BY tenant, session_id
HAVING uniqExact(batch) > 1
UNION DISTINCT
SELECT tenant, session_id FROM settled_usage
WHERE batch IN {replaced:Array(String)}
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM settled_usage WHERE batch IN {written:Array(String)})
