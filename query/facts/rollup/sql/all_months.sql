{{- /* The months in which there is usage or a call of a model or a tool, and the tenants that have any. */ -}}
SELECT month, arraySort(groupUniqArray(owner)) AS tenants FROM (
    SELECT toYYYYMM(seen_at) AS month, toString(tenant) AS owner FROM usage GROUP BY month, owner
    UNION ALL
    SELECT toYYYYMM(seen_at) AS month, toString(tenant) AS owner FROM spans WHERE kind IN ('llm', 'tool') GROUP BY month, owner)
GROUP BY month
ORDER BY month
