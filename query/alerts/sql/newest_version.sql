{{- /* The highest version of all tenants. */ -}}
SELECT max(version) AS version
FROM alerts
