SELECT slice, frames, first.1 AS first_ns, first.2 AS first_stream, first.3 AS first_seq
FROM (
    SELECT
        intDiv(at_ns - {from:Int64}, {width:Int64}) AS slice,
        count() AS frames,
        min((at_ns, stream_id, seq)) AS first
    FROM (
        SELECT toUnixTimestamp64Nano(captured_at) AS at_ns, stream_id, seq FROM frames
        WHERE tenant = {tenant:String} AND session_id = {session:String}
          AND captured_at BETWEEN fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND fromUnixTimestamp64Nano({until:Int64}, 'UTC')
        LIMIT 1 BY stream_id, seq)
    GROUP BY slice)
ORDER BY slice
