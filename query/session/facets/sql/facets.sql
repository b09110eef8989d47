{{- /* The most frequent names of each kind, by how many rows hold them: the columns
are dictionaries, so that this is quick. Rows of facts that count no more may add a
name, which then finds nothing. */ -}}
{{define "facet_range"}}tenant = {tenant:String} AND {{template "visible"}}
    {{- if .From}} AND toDate({{.Column}}) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')){{end}}
    {{- if .To}} AND toDate({{.Column}}) <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC')){{end}}
{{- end}}
SELECT kind, name FROM (
    SELECT 'agent' AS kind, toString(agent) AS name, count() AS rows FROM spans WHERE {{template "facet_range" .Facts}} GROUP BY name
    UNION ALL
    SELECT 'tool' AS kind, toString(spans.name) AS name, count() AS rows FROM spans WHERE {{template "facet_range" .Facts}} AND spans.kind = 'tool' GROUP BY name
    UNION ALL
    SELECT 'model' AS kind, toString(model) AS name, count() AS rows FROM spans WHERE {{template "facet_range" .Facts}} GROUP BY name
    UNION ALL
    SELECT 'model' AS kind, toString(model) AS name, count() AS rows FROM usage WHERE {{template "facet_range" .Facts}} GROUP BY name
    UNION ALL
    SELECT 'dialect' AS kind, toString(dialect) AS name, count() AS rows FROM streams WHERE {{template "facet_range" .Streams}} GROUP BY name
    UNION ALL
    SELECT 'tag' AS kind, toString(arrayJoin(mapKeys(tags))) AS name, count() AS rows FROM streams WHERE {{template "facet_range" .Streams}} GROUP BY name)
WHERE name != ''
GROUP BY kind, name
ORDER BY sum(rows) DESC, name
LIMIT {limit:UInt64} BY kind
