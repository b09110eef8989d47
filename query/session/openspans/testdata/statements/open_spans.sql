SELECT session_id, span_id, span_parent, span_kind, span_name, live_status, span_agent, span_model, span_run,
    if(started_ns != 0, started_ns, seen_ns) AS begin_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame,
    count() OVER (PARTITION BY session_id) AS open_spans
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
        max(of_live) AS is_live, argMaxIf(status, rank, of_live) AS live_status
    FROM (SELECT *, 
        multiIf(status IN ('', 'open', 'waiting'), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        bitShiftLeft(toUInt256(finality), 254)
            + bitShiftLeft(toUInt256(if((kind = 'tool' OR position(span_id, ':event:') > 0) AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank,
            (session_id, stream_id) IN (
    SELECT session_id, stream_id
    FROM (
    SELECT
        session_id, stream_id,
        min(first_at) AS stream_first,
        max(greatest(first_at, last_at)) AS stream_last,
        sum(frames) AS stream_frames,
        sum(bytes) AS stream_bytes,
        toUnixTimestamp64Nano(argMax(ended, first_seq)) AS stream_ended,
        greatest(toUnixTimestamp64Nano(stream_last), stream_ended) AS stream_end_ns,
        argMax(end_reason, first_seq) AS stream_reason,
        argMax(recorder, first_seq) AS stream_recorder,
        argMinIf(title, first_seq, title != '') AS stream_title,
        argMax(dialect, first_seq) AS stream_dialect,
        argMax(tags, first_seq) AS stream_tags
    FROM streams FINAL
    PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0
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
    GROUP BY session_id, stream_id)
    WHERE stream_ended = 0 AND (stream_recorder IN {recorders:Array(String)}
        OR toUnixTimestamp64Nano(stream_last) >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64}))) AS of_live
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
    GROUP BY session_id, span_id)
WHERE span_status IN ('', 'open', 'waiting') AND ended_ns = 0 AND is_live
ORDER BY session_id, begin_ns, first_seen, span_id
LIMIT {most:UInt64} BY session_id
