{{- /* The newest and the oldest of some days on which texts of a tenant, or of some of its sessions,
were first recorded. The primary index, which ClickHouse has in memory, names the day of every
8,192nd row of a part. Only rows of newer and of older days than the index names are read: no more
than two granules of each part. A small part may have an index without days, which names the day 0. */ -}}
{{define "of_days"}}tenant = {tenant:String} AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}{{end}}
{{define "bound"}}(SELECT {{.}} FROM streams WHERE tenant = {tenant:String} AND session_id IN {of_sessions:Array(String)}){{end}}
{{- if not .Sessions}}WITH
{{- range $i, $table := .Tables}}{{if $i}},{{end}}
    (SELECT (count() > 0, max(day), min(day)) FROM (
        SELECT `toDate(seen_at)` AS day FROM mergeTreeIndex(currentDatabase(), {{$table}})
        WHERE tenant = {tenant:String} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND day > toDate(0))) AS {{$table}}_index
{{- end}}
{{end -}}
SELECT max(day) AS newest, min(day) AS oldest FROM (
{{- range $i, $table := .Tables}}{{if $i}}
    UNION ALL{{end}}
    SELECT toDate(seen_at) AS day FROM {{$table}}
    WHERE {{template "of_days"}}
{{- if $.Sessions}}
      AND session_id IN {of_sessions:Array(String)}
      AND seen_at >= {{template "bound" "greatest(min(first_at) - INTERVAL 1 DAY, fromUnixTimestamp64Nano(0, 'UTC'))"}}
      AND seen_at <= {{template "bound" "max(last_at) + INTERVAL 1 DAY"}}
{{- else}}
      AND (NOT {{$table}}_index.1 OR toDate(seen_at) > {{$table}}_index.2 OR toDate(seen_at) < {{$table}}_index.3)
    UNION ALL
    SELECT arrayJoin([{{$table}}_index.2, {{$table}}_index.3]) AS day WHERE {{$table}}_index.1
{{- end}}
{{- end}})
HAVING count() > 0
