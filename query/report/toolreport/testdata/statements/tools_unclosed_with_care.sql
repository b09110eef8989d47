SELECT session_id, span_id, span_name, span_agent, span_status, started_ns, seen_ns,
    greatest(if(ended_ns != 0, ended_ns, end_ns) - begin_ns, 0) AS took_ns
FROM (
    SELECT *, if(span_status = 'unclosed', span_stream, '') AS last_stream,
        multiIf(started_ns != 0, started_ns, ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns) AS begin_ns
    FROM (
    SELECT
        session_id, span_id, span_stream, span_name, span_agent, span_status, started_ns, ended_ns, reported_ns, seen_ns,
        span_status IN ('ok', 'error', 'cancelled') AND (reported_ns > 0 OR started_ns != 0 AND ended_ns != 0) AS timed,
        span_status IN ('', 'open', 'waiting') AND session_id IN {open:Array(String)} AS runs,
        multiIf(
            runs, greatest({now:Int64} - if(started_ns != 0, started_ns, seen_ns), 0),
            reported_ns > 0, reported_ns,
            ended_ns - started_ns) AS took_ns
    FROM (
        SELECT session_id, span_id, stream_id AS span_stream, name AS span_name, agent AS span_agent, status AS span_status,
            toUnixTimestamp64Nano(started) AS started_ns, toUnixTimestamp64Nano(ended) AS ended_ns,
            duration_ns AS reported_ns, toUnixTimestamp64Nano(seen_at) AS seen_ns
        FROM spans FINAL
        PREWHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
              AND session_id NOT IN (SELECT session_id FROM crossing_sessions)
        WHERE kind = 'tool' AND session_id IN (SELECT session_id FROM among_sessions)
        UNION ALL
        SELECT session_id, span_id, '' AS span_stream, span_name, span_agent, span_status, started_ns, ended_ns, reported_ns, seen_ns
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
            + bitShiftLeft(toUInt256(if(kind = 'tool' AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
        FROM spans FINAL
        PREWHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({care_from:Int64}, 'UTC')) AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND (session_id IN (SELECT session_id FROM crossing_sessions) OR tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND 0) WHERE kind = 'tool')
    GROUP BY session_id, span_id))
    WHERE 1 AND session_id IN (SELECT session_id FROM among_sessions) AND seen_ns >= {from:Int64})
    WHERE span_status IN ('', 'open', 'waiting', 'unclosed') AND NOT runs) AS calls
INNER JOIN (
    SELECT session_id, stream_id AS last_stream,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at, ended))) AS end_ns
    FROM streams
    WHERE tenant = {tenant:String} AND session_id IN (
        SELECT session_id FROM spans WHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({care_from:Int64}, 'UTC')) AND kind = 'tool' AND status IN ('', 'open', 'waiting', 'unclosed'))
    GROUP BY GROUPING SETS ((session_id, stream_id), (session_id))
) AS ends USING (session_id, last_stream)
WHERE took_ns >= {least:Int64}
ORDER BY took_ns DESC, seen_ns, session_id, span_id
LIMIT {batch:UInt64} OFFSET {skip:UInt64}
