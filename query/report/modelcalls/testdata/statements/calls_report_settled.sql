SELECT
    toString(toDate(fromUnixTimestamp64Nano(seen_ns, {zone:String}))) AS period,
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
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC') AND session_id IN (SELECT session_id FROM among_sessions) AND session_id NOT IN (SELECT session_id FROM unsettled_sessions) AND (batch = {recent:String} OR session_id NOT IN (SELECT session_id FROM made_sessions))
    UNION ALL
    SELECT session_id, span_id, stream_id AS first_stream, seq AS first_frame, run_id,
        model AS call_model, provider AS call_provider, agent AS call_agent, status AS call_status, stop_reason, error AS call_error, http_status,
        started_ns, ended_ns, first_token_ns, toUnixTimestamp64Nano(at) AS seen_ns, retry, output_tokens, all_tokens,
        chunks, gaps, spread_ns, longest_ns, longest_from_ns
    FROM (
SELECT
    session_id, first_stream AS stream_id, fromUnixTimestamp64Nano(seen_ns, 'UTC') AS at, first_frame AS seq, span_id, run_id,
    toLowCardinality(call_model) AS model, toLowCardinality(call_provider) AS provider, toLowCardinality(call_agent) AS agent,
    toLowCardinality(call_status) AS status,
    toLowCardinality(if(own_reason = '' AND last_of_run, if(JSONExtractString(run_attributes, 'stop_reason') = '', JSONExtractString(run_attributes, 'stop_reasons', 1), JSONExtractString(run_attributes, 'stop_reason')), own_reason)) AS stop_reason,
    if(own_error = '' AND last_of_run AND call_status = 'error', run_error, own_error) AS error,
    if(last_of_run, JSONExtractUInt(run_attributes, 'http_status'), 0) AS http_status,
    started_ns, ended_ns, first_token_ns, retry, output_tokens, all_tokens,
    length(arrived) AS chunks,
    arrayPopFront(arrayDifference(arrived)) AS gaps,
    arrived[-1] - arrived[1] AS spread_ns,
    if(empty(gaps), 0, arrayMax(gaps)) AS longest_ns,
    if(empty(gaps), 0, arrived[indexOf(gaps, longest_ns)]) AS longest_from_ns
FROM (
    SELECT spans.session_id AS session_id, spans.span_id AS span_id, call_model, call_provider, call_agent, call_status,
        run_id, started_ns, ended_ns, first_token_ns, seen_ns, first_stream, first_frame, spans.error AS own_error,
        row_number() OVER of_run = 1 AS last_of_run,
        if(JSONExtractString(attributes, 'stop_reason') = '', JSONExtractString(attributes, 'stop_reasons', 1), JSONExtractString(attributes, 'stop_reason')) AS own_reason,
        run_attributes, run_error,
        chunks.arrived AS arrived, outputs.output_tokens AS output_tokens, outputs.all_tokens AS all_tokens,
        (lagInFrame(call_status) OVER in_order IN ('error', 'unclosed')
            AND started_ns - greatest(lagInFrame(ended_ns) OVER in_order, lagInFrame(started_ns) OVER in_order) BETWEEN 0 AND {retry_within:Int64})::Bool AS retry
    FROM (
    SELECT session_id, span_id,
        argMaxIf(model, rank, model != '') AS call_model, argMaxIf(provider, rank, provider != '') AS call_provider,
        argMaxIf(agent, rank, agent != '') AS call_agent, argMax(status, rank) AS call_status,
        argMaxIf(parent_id, rank, parent_id != '') AS parent_id, argMaxIf(run_id, rank, run_id != '') AS run_id,
        argMaxIf(node_id, rank, node_id != '') AS node_id, argMax(error, rank) AS error, argMaxIf(attributes, rank, attributes != '') AS attributes,
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
        argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
        minIf(toUnixTimestamp64Nano(first_token), toUnixTimestamp64Nano(first_token) != 0) AS first_token_ns,
        min(toUnixTimestamp64Nano(seen_at)) AS seen_ns,
        argMin(stream_id, (seen_at, stream_id, seen_seq)) AS first_stream, argMin(seen_seq, (seen_at, stream_id, seen_seq)) AS first_frame
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
        WHERE kind = 'llm')
    GROUP BY session_id, span_id) AS spans
    LEFT ANY JOIN (
    SELECT session_id, span_id, arraySort(groupArrayArray(chunk_times)) AS arrived
    FROM (
        SELECT session_id, of_span AS span_id, chunk_times FROM (
            SELECT session_id, message_id,
        argMax(span_id, grown) AS of_span, argMax(run_id, grown) AS of_run, argMax(node_id, grown) AS of_node,
        argMax(began, grown) AS began_ns, argMax(times, grown) AS chunk_times
    FROM (
        SELECT session_id, message_id, span_id, run_id, node_id, toUnixTimestamp64Nano(started) AS began,
            if(empty(chunk_at), [began], chunk_at) AS times, (complete, length(chunk_at), -began, version, stream_id) AS grown
        FROM messages FINAL
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
                WHERE kind IN ('assistant', 'thinking') AND length(text) > 0)
            GROUP BY session_id, message_id)
        UNION ALL
        SELECT arguments.session_id AS session_id, calls.span_id AS span_id, arguments.chunk_times AS chunk_times
        FROM (
            SELECT session_id, message_id,
        argMax(span_id, grown) AS of_span, argMax(run_id, grown) AS of_run, argMax(node_id, grown) AS of_node,
        argMax(began, grown) AS began_ns, argMax(times, grown) AS chunk_times
    FROM (
        SELECT session_id, message_id, span_id, run_id, node_id, toUnixTimestamp64Nano(started) AS began,
            if(empty(chunk_at), [began], chunk_at) AS times, (complete, length(chunk_at), -began, version, stream_id) AS grown
        FROM messages FINAL
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
                WHERE kind = 'tool_arguments' AND length(text) > 0)
            GROUP BY session_id, message_id) AS arguments
        ASOF INNER JOIN (
            SELECT session_id, span_id, run_id, node_id, started_ns, ended_ns FROM (
    SELECT session_id, span_id,
        argMaxIf(model, rank, model != '') AS call_model, argMaxIf(provider, rank, provider != '') AS call_provider,
        argMaxIf(agent, rank, agent != '') AS call_agent, argMax(status, rank) AS call_status,
        argMaxIf(parent_id, rank, parent_id != '') AS parent_id, argMaxIf(run_id, rank, run_id != '') AS run_id,
        argMaxIf(node_id, rank, node_id != '') AS node_id, argMax(error, rank) AS error, argMaxIf(attributes, rank, attributes != '') AS attributes,
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
        argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
        minIf(toUnixTimestamp64Nano(first_token), toUnixTimestamp64Nano(first_token) != 0) AS first_token_ns,
        min(toUnixTimestamp64Nano(seen_at)) AS seen_ns,
        argMin(stream_id, (seen_at, stream_id, seen_seq)) AS first_stream, argMin(seen_seq, (seen_at, stream_id, seen_seq)) AS first_frame
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
        WHERE kind = 'llm')
    GROUP BY session_id, span_id) WHERE started_ns != 0) AS calls
        ON arguments.session_id = calls.session_id AND arguments.of_run = calls.run_id AND arguments.of_node = calls.node_id
            AND arguments.began_ns >= calls.started_ns
        WHERE calls.ended_ns = 0 OR arguments.began_ns <= calls.ended_ns)
    GROUP BY session_id, span_id) AS chunks ON spans.session_id = chunks.session_id AND spans.span_id = chunks.span_id
    LEFT ANY JOIN (
    SELECT session_id, span_id, sum(generated) AS output_tokens, sum(total_tokens) AS all_tokens
    FROM (
        SELECT session_id, usage_id, argMax(usage.span_id, (at, version, stream_id)) AS span_id,
            argMax(output + reasoning, (at, version, stream_id)) AS generated,
            argMax(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning, (at, version, stream_id)) AS total_tokens
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
        WHERE mode != 'running' AND NOT startsWith(scope, 'rest:')
        GROUP BY session_id, usage_id)
    WHERE span_id != ''
    GROUP BY session_id, span_id) AS outputs ON spans.session_id = outputs.session_id AND spans.span_id = outputs.span_id
    LEFT ANY JOIN (
    SELECT session_id, span_id, argMax(attributes, (version, stream_id, seen_seq)) AS run_attributes, argMax(error, (version, stream_id, seen_seq)) AS run_error
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
    WHERE kind = 'run' AND (position(attributes, '"stop_reason"') > 0 OR error != '')
    GROUP BY session_id, span_id) AS ends ON spans.session_id = ends.session_id AND spans.parent_id = ends.span_id
    WINDOW
        of_run AS (PARTITION BY spans.session_id, parent_id ORDER BY seen_ns DESC, first_frame DESC, spans.span_id DESC),
        in_order AS (PARTITION BY spans.session_id, call_agent, call_model ORDER BY seen_ns, first_frame, spans.span_id
                     ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
WHERE (SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0
    OR (session_id, span_id) NOT IN (
        SELECT session_id, span_id FROM usage WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
            FROM streams WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions)) AND session_id IN (SELECT session_id FROM among_sessions) AND (session_id, usage_id) IN (
        SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1))))
    WHERE 1 AND seen_ns >= {from:Int64} AND seen_ns < {to:Int64})
GROUP BY GROUPING SETS ((period), ())
ORDER BY is_total, period, groups
LIMIT {limit:UInt64}
