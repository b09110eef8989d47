
SELECT
    materialize('') AS period,
    [toString(records.model)]::Array(String) AS groups,
    any(records.provider) AS cell_provider,
    any(records.model) AS cell_model,
    any(records.service_tier) AS cell_service_tier,
    any(records.speed) AS cell_speed,
    any(records.region) AS cell_region,
    any(at_ns) AS cell_at,
    any((input + cache_read + cache_write_5m + cache_write_1h)) AS cell_input,
    min(least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning)) >= 0 AS cell_valid,
    any(startsWith(scope, 'rest:'))::Bool AS cell_rest,
    []::Array(String) AS cell_tags,
    countIf(NOT startsWith(scope, 'rest:')) AS calls,
    sum(input) AS input_sum,
    sum(cache_read) AS cache_read_sum,
    sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum,
    sum(output) AS output_sum,
    sum(reasoning) AS reasoning_sum,
    countIf(stated != 0 AND stated != counted) AS mismatches
FROM (
    SELECT session_id, stream_id, usage_id, scope, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, toUnixTimestamp64Nano(at) AS at_ns, version, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning
    FROM usage FINAL
    PREWHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
        AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String}))
         
) AS records
WHERE 1
GROUP BY period, records.model,
    records.provider, records.model, records.service_tier, records.speed, records.region,
    arrayCount(start -> start < (input + cache_read + cache_write_5m + cache_write_1h), {tier_starts:Array(Int64)}),
    arrayCount(instant -> instant <= at_ns, {price_instants:Array(Int64)}),
    arrayCount(since -> since <= at_ns % 86400000000000, {price_times:Array(Int64)}),
    (input + cache_read + cache_write_5m + cache_write_1h) != 0, output + reasoning != 0,
    least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning) >= 0,
    startsWith(scope, 'rest:')
ORDER BY period, groups
