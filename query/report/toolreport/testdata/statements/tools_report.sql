SELECT
    toString(materialize('')) AS period,
    []::Array(String) AS groups,
    grouping(period) = 1 AS is_total,
    count() AS calls,
    countIf(span_status = 'error') AS errors,
    countIf(span_status IN ('', 'open', 'waiting', 'unclosed')) AS open_calls,
    countIf(runs) AS running_calls,
    countIf(timed) AS timed_calls,
    minIf(took_ns, timed) AS min_ns,
    avgIf(took_ns, timed) AS avg_ns,
    quantilesExactInclusiveIf(0.5, 0.9, 0.95, 0.99)(took_ns, timed) AS quantiles_ns,
    maxIf(took_ns, timed OR runs) AS max_ns
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
GROUP BY GROUPING SETS ((period), ())
ORDER BY is_total, period, groups
LIMIT {limit:UInt64}
