SELECT
    count() AS found,
    toUnixTimestamp64Nano(min(placed_at)) AS edge_ns,
    groupUniqArray(session_id) AS sessions
FROM (
    SELECT greatest(first_at, last_at) AS placed_at, session_id FROM streams
    WHERE tenant = {tenant:String} AND greatest(first_at, last_at) <= fromUnixTimestamp64Nano({begin:Int64}, 'UTC')
    ORDER BY placed_at DESC
    LIMIT {rows:UInt64})
