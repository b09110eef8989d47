{{- /* The months of sessions, which come in the table changed: that in which the usage and the calls of
each begin, and those of the batches that hold it. */ -}}
SELECT tenant, session_id, arraySort(groupUniqArray(month)) AS months FROM (
    SELECT tenant, session_id, toYYYYMM(min(first)) AS month FROM (
        SELECT tenant, session_id, min(seen_at) AS first FROM usage
        WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM changed)
        GROUP BY tenant, session_id
        UNION ALL
        SELECT tenant, session_id, min(seen_at) AS first FROM spans
        WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM changed) AND kind IN ('llm', 'tool')
        GROUP BY tenant, session_id)
    GROUP BY tenant, session_id
    UNION ALL
    SELECT DISTINCT tenant, session_id, transform(batch::String, {batches:Array(String)}, {months:Array(UInt32)}, toUInt32(0)) AS month
    FROM ({{template "batch_rows" "batches"}})
    WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM changed))
GROUP BY tenant, session_id
