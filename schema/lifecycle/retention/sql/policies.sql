{{- /* The policies of a tenant, or of all. */ -}}
SELECT tenant, kind, max_age_s, max_bytes, set_at, set_by FROM retention_policies FINAL
WHERE {tenant:String} IN ('*', tenant)
ORDER BY tenant, kind
