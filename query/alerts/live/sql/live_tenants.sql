{{- /* Tenants with a stream that has not ended and had a frame since a time. */ -}}
SELECT DISTINCT tenant AS name
FROM streams
WHERE toUnixTimestamp64Nano(ended) = 0 AND toUnixTimestamp64Nano(last_at) >= {since:Int64}
ORDER BY name
