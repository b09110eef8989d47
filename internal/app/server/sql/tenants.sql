{{- /* The tenants, or one, of which something is stored or set, and when their last frame arrived; the
epoch for one without recordings. */ -}}
SELECT tenant, max(last_frame) AS last_frame, max(kept) AS has_retention, max(billed) AS has_bills
FROM (
    SELECT tenant, max(last_at) AS last_frame, false AS kept, false AS billed FROM streams
    WHERE {tenant:String} IN ('*', tenant)
    GROUP BY tenant
    UNION ALL
    SELECT DISTINCT tenant, toDateTime64(0, 9, 'UTC'), true, false FROM retention_policies FINAL
    WHERE {tenant:String} IN ('*', tenant) AND max_age_s + max_bytes > 0
    UNION ALL
    SELECT DISTINCT tenant, toDateTime64(0, 9, 'UTC'), false, true FROM bills
    WHERE {tenant:String} IN ('*', tenant))
GROUP BY tenant
ORDER BY tenant
