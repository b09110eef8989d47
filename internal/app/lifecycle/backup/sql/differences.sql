{{- /* The sessions and tables of which something else was found than the manifest has. Rows of
       the audit log may have reached their age since. */ -}}
SELECT table_name, tenant, session_id, sum(rows * is_wanted), sum(rows * (1 - is_wanted)), sum(bytes * is_wanted), sum(bytes * (1 - is_wanted))
FROM
(
    SELECT table_name, tenant, session_id, rows, bytes, hash, 1 AS is_wanted FROM {{.}}.backup_sums
    UNION ALL
    SELECT table_name, tenant, session_id, rows, bytes, hash, 0 AS is_wanted FROM {{.}}.backup_found
)
WHERE rows > 0
GROUP BY table_name, tenant, session_id
HAVING (count() != 2 OR uniqExact(rows, bytes, hash) != 1)
    AND NOT (table_name = 'audit_log' AND sum(rows * is_wanted) > sum(rows * (1 - is_wanted)))
ORDER BY table_name, tenant, session_id
LIMIT 1000
