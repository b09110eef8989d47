SELECT session_id,
    toUnixTimestamp64Nano(min(first_at)) AS first_ns,
    toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns
FROM streams
WHERE tenant = {tenant:String} AND session_id IN (
    SELECT session_id FROM streams
    WHERE tenant = {tenant:String} AND (toUnixTimestamp64Nano(first_at) < {from:Int64} OR toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {to:Int64})
        AND session_id IN (SELECT session_id FROM streams WHERE tenant = {tenant:String} AND toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {near_from:Int64} AND toUnixTimestamp64Nano(first_at) < {near_to:Int64}))
GROUP BY session_id


