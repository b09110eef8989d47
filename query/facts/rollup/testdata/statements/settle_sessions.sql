INSERT INTO settled_sessions (batch, tenant, session_id, stream_id, started_ns, last_ns, end_ns, last_ended_ns, last_reason,
    streams, frames, bytes, cut, title, dialects, tag_keys, tag_values,
    runs, open_runs, unclosed_runs, failed_runs, cancelled_runs, last_run, tool_calls, tool_errors, unclosed_spans, open_spans, agents, models,
    failed_id, failed_name, failed_begin_ns, failed_ended_ns, failed_error,
    cancelled_id, cancelled_name, cancelled_ended_ns,
    call_id, call_kind, call_name, call_status, call_error, call_ended_ns, call_begin_ns,
    open_id, open_kind, open_name, open_status)
SELECT {batch:String}, {tenant:String}, of_streams.session_id, of_streams.first_stream, started_ns, last_ns, end_ns, last_ended_ns, last_reason,
    streams, frames, bytes, cut, title, dialects, tag_keys, tag_values,
    runs, open_runs, unclosed_runs, failed_runs, cancelled_runs, last_run, tool_calls, tool_errors, unclosed_spans, open_spans, agents, models,
    failed_id, failed_name, failed_begin_ns, failed_ended_ns, failed_error,
    cancelled_id, cancelled_name, cancelled_ended_ns,
    call_id, call_kind, call_name, call_status, call_error, call_ended_ns, call_begin_ns,
    open_id, open_kind, open_name, open_status
FROM (
    SELECT
        session_id, min(stream_id) AS first_stream,
    toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
    toUnixTimestamp64Nano(max(stream_last)) AS last_ns,
    max(stream_end_ns) AS end_ns,
    argMax(stream_ended, (stream_end_ns, stream_last, stream_id)) AS last_ended_ns,
    argMax(stream_reason, (stream_end_ns, stream_last, stream_id)) AS last_reason,
        count() AS streams,
        sum(stream_frames) AS frames,
        sum(stream_bytes) AS bytes,
    startsWith(last_reason, 'error') AS cut,
    argMinIf(stream_title, (stream_first, stream_id), stream_title != '') AS title,
    arraySort(groupUniqArrayIf(stream_dialect, stream_dialect != '')) AS dialects,
    arrayMap(pair -> pair.1, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_keys,
    arrayMap(pair -> pair.2, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_values
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
    PREWHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions) AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
    GROUP BY session_id, stream_id)
    GROUP BY session_id
    HAVING countIf(stream_ended = 0) = 0
) AS of_streams
LEFT JOIN (
    SELECT
        session_id,
    countIf(span_kind = 'run') AS runs,
    countIf(span_kind = 'run' AND span_status IN ('', 'open', 'waiting')) AS open_runs,
    countIf(span_kind = 'run' AND span_status = 'unclosed') AS unclosed_runs,
    countIf(span_kind = 'run' AND span_status = 'error') AS failed_runs,
    countIf(span_kind = 'run' AND span_status = 'cancelled') AS cancelled_runs,
    argMaxIf(span_status, first_seen, span_kind = 'run') AS last_run,
    countIf(span_kind = 'tool') AS tool_calls,
    countIf(span_kind = 'tool' AND span_status = 'error') AS tool_errors,
    countIf(span_status = 'unclosed') AS unclosed_spans,
    countIf(span_status IN ('', 'open', 'waiting')) AS open_spans,
    arraySort(groupUniqArrayIf(span_agent, span_agent != '')) AS agents,
    arraySort(groupUniqArrayIf(span_model, span_model != '')) AS models
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
        PREWHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions) AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
        AND toDate(seen_at) >= (SELECT toDate(min(first_at)) - 1 FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions)))
    GROUP BY session_id, span_id)
    GROUP BY session_id
) AS of_spans ON of_streams.session_id = of_spans.session_id
LEFT JOIN (
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
            SELECT of_errors.*, session_last_ns
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
                PREWHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions) AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
        AND toDate(seen_at) >= (SELECT toDate(min(first_at)) - 1 FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions)))
            GROUP BY session_id, span_id) AS of_errors
            INNER JOIN (
                SELECT session_id, toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS session_last_ns
                FROM streams FINAL
                PREWHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM batch_sessions) AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                GROUP BY session_id
            ) AS of_last ON of_errors.session_id = of_last.session_id))
    GROUP BY session_id)) AS of_ends ON of_streams.session_id = of_ends.session_id
