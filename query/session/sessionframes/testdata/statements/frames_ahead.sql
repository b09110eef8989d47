

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
        WHERE tenant = {tenant:String} AND session_id = {session:String}
  AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} AND session_id = {session:String} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String} AND session_id = {session:String}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted)) AND captured_at > fromUnixTimestamp64Nano({after_at:Int64}, 'UTC') AND captured_at <= (
            SELECT max(captured_at) FROM (
                SELECT captured_at FROM frames
                WHERE tenant = {tenant:String} AND session_id = {session:String}
  AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} AND session_id = {session:String} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String} AND session_id = {session:String}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted)) AND captured_at > fromUnixTimestamp64Nano({after_at:Int64}, 'UTC') AND captured_at <= fromUnixTimestamp64Nano({reach_at:Int64}, 'UTC')
                ORDER BY captured_at
                LIMIT {rows:UInt64}))
        ORDER BY captured_at
        LIMIT {rows:UInt64})
    WINDOW so_far AS (ORDER BY captured_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
