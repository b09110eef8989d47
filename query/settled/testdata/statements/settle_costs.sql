INSERT INTO settled_costs (batch, tenant, session_id, stream_id, started_ns, last_ns, cost)
SELECT {costs:String}, {tenant:String}, priced.session_id, priced.stream_id, began.started_ns, began.last_ns, priced.cost
FROM (
    SELECT session_id, min(stream_id) AS stream_id, sum(
        cell_rates.call_rate * calls + cell_rates.rate_0 * input + cell_rates.rate_1 * cache_read
            + cell_rates.rate_2 * cache_write_5m + cell_rates.rate_3 * cache_write_1h
            + cell_rates.rate_4 * output + cell_rates.rate_5 * reasoning + cell_rates.part_0 * input_audio) AS cost
    FROM (
        SELECT session_id, stream_id, cityHash64(class, roundDown((input + cache_read + cache_write_5m + cache_write_1h) - 1, {tier_starts:Array(Int64)}),
        roundDown(toUnixTimestamp64Nano(at), {price_instants:Array(Int64)}),
        roundDown(toUnixTimestamp64Nano(at) % 86400000000000, {price_times:Array(Int64)}), tags[{tag_0:String}]) AS cell_hash, NOT rest AS calls,
            input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio
        FROM settled_usage
        WHERE batch = {batch:String} AND tenant = {tenant:String}) AS hashed
    INNER JOIN cell_rates ON hashed.cell_hash = cell_rates.cell_hash
    GROUP BY session_id
) AS priced
INNER JOIN (
    SELECT session_id, toUnixTimestamp64Nano(min(first_at)) AS started_ns, toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns
    FROM streams FINAL
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
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String}))))
        AND session_id IN (SELECT session_id FROM settled_usage WHERE batch = {batch:String} AND tenant = {tenant:String})
    GROUP BY session_id
) AS began ON priced.session_id = began.session_id
