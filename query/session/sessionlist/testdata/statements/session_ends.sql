
WITH arraySort(arrayFilter(c -> c.2 >= failed.3 AND (failed.4 = 0 OR c.1 <= failed.4), calls))[-1] AS call
SELECT
    session_id,
    failed.1 AS failed_id, failed.2 AS failed_name, failed.3 AS failed_begin_ns, failed.4 AS failed_ended_ns, failed.5 AS failed_error,
    cancelled.1 AS cancelled_id, cancelled.2 AS cancelled_name, cancelled.3 AS cancelled_ended_ns,
    call.4 AS call_id, call.5 AS call_kind, call.6 AS call_name, call.7 AS call_status, call.8 AS call_error,
    call.1 AS call_ended_ns, call.2 AS call_begin_ns,
    pending.1 AS open_id, pending.2 AS open_kind, pending.3 AS open_name, pending.4 AS open_status
FROM (
    SELECT
        session_id,
        argMaxIf((span_id, span_name, begin_ns, ended_ns, span_error), first_seen, span_kind = 'run' AND span_status = 'error') AS failed,
        argMaxIf((span_id, span_name, ended_ns), first_seen, span_kind = 'run' AND span_status = 'cancelled') AS cancelled,
        argMaxIf(
            (span_id, span_kind, span_name, span_status), (kind_rank, begin_ns, first_seen, span_id),
            span_status IN ('', 'open', 'waiting', 'unclosed')
                AND (ended_ns = 0 OR ended_ns >= session_last_ns)) AS pending,
        groupArrayIf(
            (ended_ns, begin_ns, first_seen, span_id, span_kind, span_name, span_status, span_error),
            span_kind IN ('tool', 'llm') AND ended_ns != 0) AS calls
    FROM (
        SELECT
            *,
            multiIf(started_ns != 0, started_ns, ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns) AS begin_ns,
            transform(span_kind, ['tool', 'llm', 'node'], [3, 2, 1], 0) AS kind_rank
        FROM (
            SELECT *, transform(session_id, {sessions:Array(String)}, {last:Array(Int64)}, toInt64(0)) AS session_last_ns
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
                argMax(error, rank) AS span_error
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}))))
        AND (empty({days:Array(Date)}) OR (toDate(seen_at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)})))
            GROUP BY session_id, span_id)))
    GROUP BY session_id)
