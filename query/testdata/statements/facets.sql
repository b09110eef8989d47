
SELECT kind, name FROM (
    SELECT 'agent' AS kind, toString(agent) AS name, count() AS rows FROM spans WHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) GROUP BY name
    UNION ALL
    SELECT 'tool' AS kind, toString(spans.name) AS name, count() AS rows FROM spans WHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND spans.kind = 'tool' GROUP BY name
    UNION ALL
    SELECT 'model' AS kind, toString(model) AS name, count() AS rows FROM spans WHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) GROUP BY name
    UNION ALL
    SELECT 'model' AS kind, toString(model) AS name, count() AS rows FROM usage WHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) GROUP BY name
    UNION ALL
    SELECT 'dialect' AS kind, toString(dialect) AS name, count() AS rows FROM streams WHERE tenant = {tenant:String} AND toDate(first_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND toDate(first_at) <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC')) GROUP BY name
    UNION ALL
    SELECT 'tag' AS kind, toString(arrayJoin(mapKeys(tags))) AS name, count() AS rows FROM streams WHERE tenant = {tenant:String} AND toDate(first_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND toDate(first_at) <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC')) GROUP BY name)
WHERE name != ''
GROUP BY kind, name
ORDER BY sum(rows) DESC, name
LIMIT {limit:UInt64} BY kind
