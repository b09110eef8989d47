{{- /* The months in which there is usage, and the tenants that have any. */ -}}
SELECT toYYYYMM(seen_at) AS month, arraySort(groupUniqArray(toString(tenant))) AS tenants FROM usage
GROUP BY month
ORDER BY month
