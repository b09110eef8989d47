{{- /* How far back the newest streams reach: no session that began later than
this is missing among those of the newest rows. */ -}}
SELECT count() AS found, toUnixTimestamp64Nano(min(first_at)) AS floor_ns
FROM (
    SELECT first_at FROM streams
    WHERE tenant = {tenant:String}
    {{- if .Ceiling}} AND first_at <= fromUnixTimestamp64Nano({ceiling:Int64}, 'UTC'){{end}}
    ORDER BY first_at DESC
    LIMIT {rows:UInt64})
