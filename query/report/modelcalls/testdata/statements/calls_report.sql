SELECT
    toString(materialize('')) AS period,
    []::Array(String) AS groups,
    grouping(period) = 1 AS is_total,
    count() AS calls,
    countIf(call_status = 'error') AS errors,
    countIf(outcome = 'truncated') AS truncated,
    countIf(outcome = 'refused') AS refused,
    countIf(outcome = 'cancelled') AS cancelled,
    countIf(outcome IN ('open', 'unclosed')) AS unended,
    countIf(retry) AS retries,
    countIf(streamed) AS streamed_calls,
    countIf(stalls > 0) AS stalled_calls,
    sum(stalls) AS all_stalls,
    sum(output_tokens) AS tokens,
    countIf(has_first_token) AS first_tokens,
    quantilesExactInclusiveIf(0.5, 0.95, 0.99, 1)(first_token_took, has_first_token) AS first_token_ns,
    countIf(has_rate) AS rates,
    quantilesExactInclusiveIf(0.05, 0.5)(rate, has_rate) AS rate_quantiles,
    quantilesDDArray(0.01, 0.5, 0.99)(gaps) AS gap_ns,
    max(longest_ns) AS longest,
    countIf(has_duration) AS durations,
    quantilesExactInclusiveIf(0.5, 0.95, 1)(took_ns, has_duration) AS duration_ns
FROM (
    SELECT *,
        multiIf(
            lower(stop_reason) IN {truncating:Array(String)}, 'truncated',
            lower(stop_reason) IN {refusing:Array(String)}, 'refused',
            call_status IN ('', 'open', 'waiting'), 'open',
            call_status) AS outcome,
        started_ns != 0 AND first_token_ns > started_ns AS has_first_token,
        first_token_ns - started_ns AS first_token_took,
        call_status IN ('ok', 'error', 'cancelled') AND started_ns != 0 AND ended_ns > started_ns AS has_duration,
        ended_ns - started_ns AS took_ns,
        chunks > 1 AS streamed,
        if(longest_ns > {stall:Int64}, toUInt64(arrayCount(g -> g > {stall:Int64}, gaps)), 0) AS stalls,
        -- The first chunk is output before the time that is measured: the rate is of what follows it.
        streamed AND output_tokens > 0 AND spread_ns > 0 AS has_rate,
        if(has_rate, output_tokens / (spread_ns / 1e9), 0) AS rate
    FROM (
    SELECT session_id, span_id, stream_id AS first_stream, seq AS first_frame, run_id,
        model AS call_model, provider AS call_provider, agent AS call_agent, status AS call_status, stop_reason, error AS call_error, http_status,
        started_ns, ended_ns, first_token_ns, toUnixTimestamp64Nano(at) AS seen_ns, retry, output_tokens, all_tokens,
        chunks, gaps, spread_ns, longest_ns, longest_from_ns
    FROM settled_calls
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String})
    WHERE 1)
GROUP BY GROUPING SETS ((period), ())
ORDER BY is_total, period, groups
LIMIT {limit:UInt64}
