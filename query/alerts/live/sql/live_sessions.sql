{{- /* Sessions of a tenant that are being recorded, those first in which a frame came last: all, or of some. live_streams
are the streams that have not ended and whose recorder is alive.
The table has a row of a stream for each block until ClickHouse merges them; the last one counts. */ -}}
SELECT session_id, started_ns, last_ns, last_stream, live_streams
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
        max(stream_last_ns) AS last_ns,
        max(stream_id) AS last_stream,
        groupArrayIf(stream_id, stream_ended = 0 AND {{template "alive" "stream_last_ns"}}) AS live_streams
    FROM (
        SELECT
            session_id, stream_id,
            min(first_at) AS stream_first,
            toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS stream_last_ns,
            toUnixTimestamp64Nano(argMax(ended, (first_seq, version))) AS stream_ended,
            argMax(recorder, (first_seq, version)) AS stream_recorder
        FROM streams
        PREWHERE tenant = {tenant:String} AND {{template "current"}}
            AND session_id IN {{if .Only}}{only:Array(String)}{{else}}(SELECT session_id FROM streams
                WHERE tenant = {tenant:String} AND toUnixTimestamp64Nano(ended) = 0 AND toUnixTimestamp64Nano(last_at) >= {since:Int64}){{end}}
        GROUP BY session_id, stream_id)
    GROUP BY session_id)
WHERE notEmpty(live_streams)
ORDER BY last_ns DESC, session_id
LIMIT {limit:UInt64}
