SELECT session_id, span_id, span_parent, span_kind, span_name, if(is_open, live_status, span_status) AS status_now,
    span_run, span_agent, span_error, begin_ns, ended_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame,
    model_ns, no_end AND NOT is_open AS is_left
FROM (
    SELECT *, if(started_ns != 0, started_ns, if(ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns)) AS begin_ns,
        span_status IN ('', 'open', 'waiting') AND ended_ns = 0 AS no_end, no_end AND live_views > 0 AS is_open,
        maxIf(ended_ns, span_kind = 'llm') OVER (PARTITION BY session_id) AS model_ns
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
            argMaxIf(parent_id, rank, parent_id != '') AS span_parent, argMaxIf(run_id, rank, run_id != '') AS span_run,
            argMax(substringUTF8(error, 1, 1000), rank) AS span_error,
            countIf(stream_id IN {live:Array(String)}) AS live_views, argMaxIf(status, rank, stream_id IN {live:Array(String)}) AS live_status
        FROM (SELECT *, 
        multiIf(status IN ('', 'open', 'waiting'), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        bitShiftLeft(toUInt256(finality), 254)
            + bitShiftLeft(toUInt256(if((kind = 'tool' OR position(span_id, ':event:') > 0) AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
            FROM spans FINAL
            PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})))))
        GROUP BY session_id, span_id))
WHERE no_end OR span_kind = 'tool'
ORDER BY session_id, is_open DESC, begin_ns DESC, first_seen DESC, span_id
LIMIT {most:UInt64} BY session_id
