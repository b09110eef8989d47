


SELECT
    session_id, started_ns, last_ns, oldest_stream_s,
    if(session_id IN {open:Array(String)}, greatest({now:Int64}, last_ns), last_ns) - started_ns AS sort_key
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(first_at)) AS started_ns,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
        toInt64(0) AS oldest_stream_s
    FROM streams
    WHERE tenant = {tenant:String} AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String}))
      AND cityHash64(session_id) IN {several:Array(UInt64)}
    GROUP BY session_id
    UNION ALL
    SELECT session_id, toUnixTimestamp64Nano(first_at), toUnixTimestamp64Nano(greatest(first_at, last_at)), toInt64(0)
    FROM streams
    WHERE tenant = {tenant:String} AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String}))
      AND cityHash64(session_id) NOT IN {several:Array(UInt64)})
WHERE 1
   AND (sort_key, session_id) < ({after_key:Int64}, {after_id:String})
ORDER BY sort_key DESC, session_id DESC
LIMIT {limit:UInt64}
