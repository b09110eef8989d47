{{- /* What a batch holds. */ -}}
SELECT
    count() AS found,
    uniqExact(tenant, session_id) AS sessions,
    toUnixTimestamp64Nano(min(at)) AS first_ns,
    toUnixTimestamp64Nano(max(at)) AS last_ns,
    groupUniqArray((toString(provider), toString(model))) AS models,
    max(stated_cost != '')::Bool AS stated,
    max(greatest({{template "parts"}}) != 0 OR least({{template "parts"}}) != 0)::Bool AS parts,
    arraySort(groupUniqArray(toString(tenant))) AS tenants
FROM settled_usage
WHERE batch = {batch:String}
