{{- /* The names of tags in use, the one that was asked for first. */ -}}
SELECT toString(arrayJoin(mapKeys(tags))) AS name FROM streams
WHERE tenant = {tenant:String} AND {{template "visible"}}
GROUP BY name
ORDER BY name != {tag:String}, name
LIMIT {limit:UInt64}
