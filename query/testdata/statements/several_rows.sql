SELECT cityHash64(session_id) AS hash FROM streams
WHERE tenant = {tenant:String} AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String}))
GROUP BY hash
HAVING count() > 1
LIMIT {rows:UInt64}
