SELECT span_name, count() AS timed_calls, quantileExactInclusive(0.99)(took_ns) AS p99_ns
FROM (
    SELECT *,
        span_status IN ('ok', 'error', 'cancelled') AND (reported_ns > 0 OR started_ns != 0 AND ended_ns != 0) AS timed,
        span_status IN ('', 'open', 'waiting') AND session_id IN {open:Array(String)} AS runs,
        multiIf(
            runs, greatest({now:Int64} - if(started_ns != 0, started_ns, seen_ns), 0),
            reported_ns > 0, reported_ns,
            ended_ns - started_ns) AS took_ns
    FROM (
    SELECT session_id, span_id, stream_id AS first_stream, seq AS first_frame, tool AS span_name, agent AS span_agent, status AS span_status,
        started_ns, ended_ns, reported_ns, latest_ns, toUnixTimestamp64Nano(at) AS seen_ns
    FROM settled_tools
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String})
    WHERE 1)
WHERE timed AND span_name IN {tools:Array(String)}
GROUP BY span_name
HAVING timed_calls >= {least:UInt64}
