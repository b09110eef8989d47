{{- /* The last day on which facts of a tenant were first reported, in s since 1970. Without Any,
only the last month in which those of any tenant were: ClickHouse knows it without reading rows,
and then reads the parts of one month. */ -}}
{{- define "day"}}
    (SELECT toDate(seen_at) AS day FROM {{.Table}} WHERE tenant = {tenant:String}
    {{- if not .Any}} AND toYYYYMM(seen_at) = (SELECT toYYYYMM(max(seen_at)) FROM {{.Table}}){{end}} ORDER BY tenant DESC, toDate(seen_at) DESC LIMIT 1)
{{- end -}}
SELECT toInt64(toUnixTimestamp(toDateTime(max(day), 'UTC'))) AS day_s FROM (
    SELECT day FROM {{template "day" (.Of "messages")}}
    UNION ALL
    SELECT day FROM {{template "day" (.Of "spans")}})
HAVING count() > 0
