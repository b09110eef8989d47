{{- /* The erasures that are verified, and of which streams are stored all the same. */ -}}
SELECT DISTINCT gone.tenant, gone.of
FROM (
    SELECT tenant, session_id, stream_id FROM streams WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM tombstones WHERE erasure != '')
    UNION ALL
    SELECT tenant, session_id, stream_id FROM streams WHERE tenant IN (SELECT tenant FROM tombstones WHERE erasure != '' AND session_id = '')
) AS stored
INNER JOIN (
    SELECT tenant, session_id, until, any(erasure) AS of, groupUniqArrayArray(streams) AS listed, max(deleted_at) AS deleted
    FROM tombstones WHERE erasure != '' AND finished = 1 GROUP BY tenant, session_id, until
) AS gone ON stored.tenant = gone.tenant
WHERE (gone.session_id = '' OR gone.session_id = stored.session_id)
    AND (stored.stream_id <= gone.until OR has(gone.listed, stored.stream_id))
    AND (stored.tenant, stored.stream_id, gone.deleted) NOT IN (
        SELECT r.tenant, r.stream_id, t.deleted_at FROM restores AS r INNER JOIN tombstones AS t ON r.tenant = t.tenant WHERE r.restored_at > t.deleted_at)
