SELECT count() AS found, toUnixTimestamp64Nano(min(first_at)) AS floor_ns
FROM (
    SELECT first_at FROM streams
    WHERE tenant = {tenant:String} AND first_at <= fromUnixTimestamp64Nano({ceiling:Int64}, 'UTC')
    ORDER BY first_at DESC
    LIMIT {rows:UInt64})
