SELECT
    toUnixTimestamp64Nano(captured_at) AS at_ns, toString(stream) AS stream_id, seq, place,
    total
FROM (
    SELECT stream, seq, captured_at,
        row_number() OVER (ORDER BY captured_at, stream, seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS place,
        count() OVER () AS total
    FROM (
        SELECT toLowCardinality(stream_id) AS stream, seq, captured_at FROM frames
        WHERE tenant = {tenant:String} AND session_id = {session:String}
        LIMIT 1 BY stream_id, seq))
WHERE place % {every:UInt64} = 0 OR place = total
ORDER BY place
