


SELECT
    session_id, started_ns, last_ns, oldest_stream_s,
    last_ns AS sort_key
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(first_at)) AS started_ns,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
        toInt64(toUnixTimestamp(min(stream_started))) AS oldest_stream_s
    FROM streams
    WHERE tenant = {tenant:String} AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String}))
  AND session_id IN {among:Array(String)}
    GROUP BY session_id)
WHERE 1
   AND sort_key < {edge:Int64}
ORDER BY sort_key, session_id
LIMIT {limit:UInt64}
