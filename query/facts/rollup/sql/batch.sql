{{- /* What a batch holds. */ -}}
SELECT
    count() AS found,
    uniqExact(tenant, session_id) AS sessions,
    toUnixTimestamp64Nano(min(at)) AS first_ns,
    toUnixTimestamp64Nano(max(at)) AS last_ns,
    groupUniqArrayIf((provider, model), used) AS models,
    max(is_stated)::Bool AS stated,
    max(has_parts)::Bool AS parts,
    arraySort(groupUniqArray(tenant)) AS tenants
FROM (
    SELECT toString(tenant) AS tenant, session_id, at, toString(provider) AS provider, toString(model) AS model, true AS used,
        stated_cost != '' AS is_stated, greatest({{template "parts"}}) != 0 OR least({{template "parts"}}) != 0 AS has_parts
    FROM settled_usage
    WHERE batch = {batch:String}
    UNION ALL
    SELECT toString(tenant) AS tenant, session_id, at, '', '', false, 0, 0
    FROM settled_calls
    WHERE batch = {batch:String}
    UNION ALL
    SELECT toString(tenant) AS tenant, session_id, at, '', '', false, 0, 0
    FROM settled_tools
    WHERE batch = {batch:String})
