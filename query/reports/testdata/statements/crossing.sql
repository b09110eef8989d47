SELECT session_id FROM streams
WHERE tenant = {tenant:String}
GROUP BY session_id
HAVING toUnixTimestamp64Nano(min(first_at)) < {from:Int64} AND toUnixTimestamp64Nano(max(greatest(first_at, last_at))) >= {from:Int64} OR toUnixTimestamp64Nano(min(first_at)) < {to:Int64} AND toUnixTimestamp64Nano(max(greatest(first_at, last_at))) >= {to:Int64}


