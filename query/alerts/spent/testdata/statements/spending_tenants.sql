SELECT DISTINCT tenant AS name
FROM streams
WHERE toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {since:Int64}
ORDER BY name
