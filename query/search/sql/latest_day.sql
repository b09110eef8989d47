{{- /* The last day on which facts of a tenant were first reported, in s since 1970. */ -}}
{{- define "day"}}
    (SELECT toDate(seen_at) AS day FROM {{.}} WHERE tenant = {tenant:String} ORDER BY tenant DESC, toDate(seen_at) DESC LIMIT 1)
{{- end -}}
SELECT toInt64(toUnixTimestamp(toDateTime(max(day), 'UTC'))) AS day_s FROM (
    SELECT day FROM {{template "day" "messages"}}
    UNION ALL
    SELECT day FROM {{template "day" "spans"}})
HAVING count() > 0
