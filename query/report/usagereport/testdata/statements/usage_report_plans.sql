SELECT
    toString(toStartOfMonth(fromUnixTimestamp64Nano(at_ns, {zone:String}))) AS period,
    [toString(records.tag_value_0), toString(if(nodes.node_name != '', nodes.node_name, records.node_id))]::Array(String) AS groups,
    any(records.provider) AS cell_provider,
    any(records.model) AS cell_model,
    any(records.service_tier) AS cell_service_tier,
    any(records.speed) AS cell_speed,
    any(records.region) AS cell_region,
    any(at_ns) AS cell_at,
    any((input + cache_read + cache_write_5m + cache_write_1h)) AS cell_input,
    any(valid) AS cell_valid,
    any(rest) AS cell_rest,
    [any(records.tag_value_0)]::Array(String) AS cell_tags,
    countIf(NOT rest) AS calls,
    sum(input) AS input_sum,
    sum(cache_read) AS cache_read_sum,
    sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum,
    sum(output) AS output_sum,
    sum(reasoning) AS reasoning_sum,
    countIf(mismatch) AS mismatches
FROM (
    SELECT records.session_id AS session_id, span_id, run_id, node_id, agent, dialect, class, provider, model, service_tier, speed, region, rest, valid, mismatch,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, toUnixTimestamp64Nano(at) AS at_ns, tags[{tag_0:String}] AS tag_value_0
    FROM settled_usage AS records
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC')
) AS records
LEFT JOIN (
    SELECT session_id, node_id, argMax(name, version) AS node_name FROM spans
    WHERE tenant = {tenant:String} AND kind = 'node' AND name != '' AND node_id != ''
        AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND session_id IN (
            SELECT session_id FROM settled_usage WHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'))
    GROUP BY session_id, node_id
) AS nodes ON records.session_id = nodes.session_id AND records.node_id = nodes.node_id
WHERE 1 AND at_ns >= {from:Int64} AND at_ns < {to:Int64}
GROUP BY toStartOfMonth(fromUnixTimestamp64Nano(at_ns, {zone:String})), records.tag_value_0, if(nodes.node_name != '', nodes.node_name, records.node_id), class,
    multiIf(records.model IN {tiers_of_0:Array(String)}, roundDown((input + cache_read + cache_write_5m + cache_write_1h) - 1, {tiers_0:Array(Int64)}), records.model IN {tiers_of_1:Array(String)}, roundDown((input + cache_read + cache_write_5m + cache_write_1h) - 1, {tiers_1:Array(Int64)}), 0),
    multiIf(records.model IN {instants_of_0:Array(String)}, roundDown(at_ns, {instants_0:Array(Int64)}), 0), records.tag_value_0, toStartOfMonth(fromUnixTimestamp64Nano(at_ns, {plan_zone_0:String})), toStartOfMonth(fromUnixTimestamp64Nano(at_ns, {plan_zone_1:String}))
ORDER BY period, groups
