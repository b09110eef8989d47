SELECT
    toUnixTimestamp64Nano(captured_at) AS at_ns, toString(stream) AS stream_id, seq, place,
    (SELECT count() FROM frames WHERE tenant = {tenant:String} AND session_id = {session:String} AND type IN {types:Array(String)}) AS total
FROM (
    SELECT stream, seq, captured_at,
        row_number() OVER (ORDER BY captured_at, stream, seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS place
    FROM (
        SELECT toLowCardinality(stream_id) AS stream, seq, captured_at FROM frames
        WHERE tenant = {tenant:String} AND session_id = {session:String} AND type IN {types:Array(String)}))
WHERE place % {every:UInt64} = 0 OR place = total
ORDER BY place
