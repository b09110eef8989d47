SELECT cityHash64(session_id, span_id) AS id FROM spans FINAL
PREWHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) WHERE kind = 'tool'
GROUP BY id HAVING count() > 1
LIMIT {limit:UInt64}
