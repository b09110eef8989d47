{{- /* What expires by age on each of the next days. */ -}}
SELECT toDateTime(toDate(last + toIntervalSecond({age:UInt64})), 'UTC') AS day, count() AS sessions, sum(size) AS size
FROM ({{template "sizes" .}})
WHERE toUnixTimestamp64Nano(last) >= {cutoff:Int64} AND day < toDateTime({end:Int64}, 'UTC')
GROUP BY day ORDER BY day
