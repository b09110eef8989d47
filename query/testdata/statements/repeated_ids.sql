SELECT cityHash64(session_id, span_id) AS id FROM spans FINAL
PREWHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String})) WHERE kind = 'tool'
GROUP BY id HAVING count() > 1
LIMIT {limit:UInt64}
