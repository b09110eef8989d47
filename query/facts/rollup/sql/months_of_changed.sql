{{- /* The months of sessions, which come in the table changed: that in which the usage of each
begins, and those of the batches that hold it. */ -}}
SELECT tenant, session_id, arraySort(groupUniqArray(month)) AS months FROM (
    SELECT tenant, session_id, toYYYYMM(min(seen_at)) AS month FROM usage
    WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM changed)
    GROUP BY tenant, session_id
    UNION ALL
    SELECT DISTINCT tenant, session_id, transform(batch::String, {batches:Array(String)}, {months:Array(UInt32)}, toUInt32(0)) AS month FROM settled_usage
    WHERE batch IN {batches:Array(String)} AND (tenant, session_id) IN (SELECT tenant, session_id FROM changed))
GROUP BY tenant, session_id
