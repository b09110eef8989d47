SELECT
    toString(toDate(fromUnixTimestamp64Nano(seen_ns, {zone:String}))) AS period,
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
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC') AND session_id IN (SELECT session_id FROM among_sessions) AND session_id NOT IN (SELECT session_id FROM unsettled_sessions) AND (batch = {recent:String} OR session_id NOT IN (SELECT session_id FROM made_sessions))
    UNION ALL
    SELECT session_id, span_id, stream_id AS first_stream, seq AS first_frame, tool AS span_name, agent AS span_agent, status AS span_status,
        started_ns, ended_ns, reported_ns, latest_ns, toUnixTimestamp64Nano(at) AS seen_ns
    FROM (
SELECT
    calls.session_id AS session_id, first_stream AS stream_id, fromUnixTimestamp64Nano(seen_ns, 'UTC') AS at, first_frame AS seq,
    span_id, run_id, node_id, toLowCardinality(call_tool) AS tool, toLowCardinality(call_agent) AS agent, toLowCardinality(call_status) AS status,
    started_ns, ended_ns, reported_ns,
    multiIf(
        call_status NOT IN ('', 'open', 'waiting', 'unclosed'), 0,
        ended_ns != 0, ended_ns,
        last_stream != '' AND end_ns != 0 AND run_ended_ns != 0 AND run_ended_ns >= if(started_ns != 0, started_ns, seen_ns), least(end_ns, run_ended_ns),
        end_ns) AS latest_ns
FROM (
    SELECT *, if(call_status = 'unclosed', only_stream, '') AS last_stream
    FROM (
    SELECT session_id, span_id, span_parent AS parent_id, span_run AS run_id, span_node AS node_id, span_name AS call_tool, span_agent AS call_agent, span_status AS call_status,
        started_ns, ended_ns, reported_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame, only_stream
    FROM (
        SELECT
        session_id, span_id,
        argMax(kind, rank) AS span_kind,
        argMax(status, rank) AS span_status,
        argMaxIf(name, rank, name != '') AS span_name,
        argMaxIf(agent, rank, agent != '') AS span_agent,
        argMaxIf(model, rank, model != '') AS span_model,
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
        argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
        argMaxIf(duration_ns, rank, duration_ns != 0) AS reported_ns,
        min(toUnixTimestamp64Nano(seen_at)) AS seen_ns,
        min((seen_at, stream_id, seen_seq)) AS first_seen,
            argMaxIf(parent_id, rank, parent_id != '') AS span_parent, argMaxIf(run_id, rank, run_id != '') AS span_run, argMaxIf(node_id, rank, node_id != '') AS span_node,
            if(uniqExact(stream_id) = 1, any(stream_id), '') AS only_stream
        FROM (SELECT *, 
        multiIf(status IN ('', 'open', 'waiting'), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        bitShiftLeft(toUInt256(finality), 254)
            + bitShiftLeft(toUInt256(if((kind = 'tool' OR position(span_id, ':event:') > 0) AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
            FROM spans FINAL
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND session_id IN (SELECT session_id FROM unsettled_sessions)
        AND toDate(seen_at) >= (
            SELECT if(uniqExact(session_id) < (SELECT uniqExact(session_id) FROM unsettled_sessions), toDate(0),
                toDate(toDateTime(greatest(toUnixTimestamp64Second(min(first_at)), 86400), 'UTC')) - 1)
            FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions)) AND session_id IN (SELECT session_id FROM among_sessions)
            WHERE kind = 'tool')
        GROUP BY session_id, span_id))) AS calls
LEFT ANY JOIN (
    SELECT session_id, stream_id AS ending_stream, toUnixTimestamp64Nano(max(greatest(first_at, last_at, ended))) AS end_ns
    FROM streams
    WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions)
    GROUP BY GROUPING SETS ((session_id, stream_id), (session_id))
) AS ends ON calls.session_id = ends.session_id AND calls.last_stream = ends.ending_stream
LEFT ANY JOIN (
    SELECT session_id, span_id AS run_span, merged.ended_ns AS run_ended_ns
    FROM (
    SELECT
        session_id, span_id,
        argMax(kind, rank) AS span_kind,
        argMax(status, rank) AS span_status,
        argMaxIf(name, rank, name != '') AS span_name,
        argMaxIf(agent, rank, agent != '') AS span_agent,
        argMaxIf(model, rank, model != '') AS span_model,
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
        argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
        argMaxIf(duration_ns, rank, duration_ns != 0) AS reported_ns,
        min(toUnixTimestamp64Nano(seen_at)) AS seen_ns,
        min((seen_at, stream_id, seen_seq)) AS first_seen
    FROM (SELECT *, 
        multiIf(status IN ('', 'open', 'waiting'), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        bitShiftLeft(toUInt256(finality), 254)
            + bitShiftLeft(toUInt256(if((kind = 'tool' OR position(span_id, ':event:') > 0) AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
        FROM spans FINAL
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND session_id IN (SELECT session_id FROM unsettled_sessions)
        AND toDate(seen_at) >= (
            SELECT if(uniqExact(session_id) < (SELECT uniqExact(session_id) FROM unsettled_sessions), toDate(0),
                toDate(toDateTime(greatest(toUnixTimestamp64Second(min(first_at)), 86400), 'UTC')) - 1)
            FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions)) AND session_id IN (SELECT session_id FROM among_sessions) WHERE kind = 'run')
    GROUP BY session_id, span_id) AS merged
    WHERE span_status NOT IN ('', 'open', 'waiting', 'unclosed')
) AS runs ON calls.session_id = runs.session_id AND calls.parent_id = runs.run_span))
    WHERE 1 AND seen_ns >= {from:Int64} AND seen_ns < {to:Int64})
GROUP BY GROUPING SETS ((period), ())
ORDER BY is_total, period, groups
LIMIT {limit:UInt64}
