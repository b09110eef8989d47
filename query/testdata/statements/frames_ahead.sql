
SELECT
    count() AS ahead,
    countIf(place = 1 OR total <= {budget:UInt64}) AS taken,
    toUnixTimestamp64Nano(maxIf(captured_at, place = 1 OR total <= {budget:UInt64})) AS until_ns
FROM (
    SELECT captured_at,
        row_number() OVER so_far AS place,
        sum(size) OVER so_far AS total
    FROM (
        SELECT captured_at, length(raw) AS size FROM frames
        WHERE tenant = {tenant:String} AND session_id = {session:String} AND captured_at > fromUnixTimestamp64Nano({after_at:Int64}, 'UTC') AND captured_at <= (
            SELECT max(captured_at) FROM (
                SELECT captured_at FROM frames
                WHERE tenant = {tenant:String} AND session_id = {session:String} AND captured_at > fromUnixTimestamp64Nano({after_at:Int64}, 'UTC') AND captured_at <= fromUnixTimestamp64Nano({reach_at:Int64}, 'UTC')
                ORDER BY captured_at
                LIMIT {rows:UInt64}))
        ORDER BY captured_at
        LIMIT {rows:UInt64})
    WINDOW so_far AS (ORDER BY captured_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
