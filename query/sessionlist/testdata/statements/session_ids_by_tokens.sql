


SELECT
    session_id, started_ns, last_ns, oldest_stream_s,
    tokens AS sort_key
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(first_at)) AS started_ns,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at, ended))) AS end_ns,
        toInt64(0) AS oldest_stream_s,
        any(session_tokens) AS tokens
    FROM streams
    INNER JOIN (
    WITH
        per_session AS (
            SELECT session_id, toInt64(sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning)) AS straight,
                uniqExact(cityHash64(usage_id)) = count() AND countIf(mode = 'running') = 0 AS plain
            FROM usage
            WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
            GROUP BY session_id
            HAVING straight >= {min_tokens:Int64})
    SELECT session_id, straight AS session_tokens FROM per_session WHERE plain
    UNION ALL
    SELECT session_id, sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning) AS session_tokens
    FROM (
    SELECT
        session_id, stream_id, usage_id, at_ns, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, version, mode, scope, raw,
        stated, counted,
        mode = 'running' AND counted >= counted_before AS adds_difference,
        toInt64(now_input) - if(adds_difference, toInt64(lagInFrame(now_input) OVER scope_so_far), 0) AS input,
        toInt64(now_cache_read) - if(adds_difference, toInt64(lagInFrame(now_cache_read) OVER scope_so_far), 0) AS cache_read,
        toInt64(now_cache_write_5m) - if(adds_difference, toInt64(lagInFrame(now_cache_write_5m) OVER scope_so_far), 0) AS cache_write_5m,
        toInt64(now_cache_write_1h) - if(adds_difference, toInt64(lagInFrame(now_cache_write_1h) OVER scope_so_far), 0) AS cache_write_1h,
        toInt64(now_output) - if(adds_difference, toInt64(lagInFrame(now_output) OVER scope_so_far), 0) AS output,
        toInt64(now_reasoning) - if(adds_difference, toInt64(lagInFrame(now_reasoning) OVER scope_so_far), 0) AS reasoning,
        toInt64(now_input_audio) - if(adds_difference, toInt64(lagInFrame(now_input_audio) OVER scope_so_far), 0) AS input_audio,
        toInt64(now_input_image) - if(adds_difference, toInt64(lagInFrame(now_input_image) OVER scope_so_far), 0) AS input_image,
        toInt64(now_input_video) - if(adds_difference, toInt64(lagInFrame(now_input_video) OVER scope_so_far), 0) AS input_video,
        toInt64(now_cache_read_audio) - if(adds_difference, toInt64(lagInFrame(now_cache_read_audio) OVER scope_so_far), 0) AS cache_read_audio,
        toInt64(now_cache_read_image) - if(adds_difference, toInt64(lagInFrame(now_cache_read_image) OVER scope_so_far), 0) AS cache_read_image,
        toInt64(now_cache_read_video) - if(adds_difference, toInt64(lagInFrame(now_cache_read_video) OVER scope_so_far), 0) AS cache_read_video,
        toInt64(now_output_audio) - if(adds_difference, toInt64(lagInFrame(now_output_audio) OVER scope_so_far), 0) AS output_audio,
        toInt64(now_output_image) - if(adds_difference, toInt64(lagInFrame(now_output_image) OVER scope_so_far), 0) AS output_image,
        toInt64(now_output_video) - if(adds_difference, toInt64(lagInFrame(now_output_video) OVER scope_so_far), 0) AS output_video,
        toInt64(now_web_searches) - if(adds_difference, toInt64(lagInFrame(now_web_searches) OVER scope_so_far), 0) AS web_searches,
        toInt64(now_code_executions) - if(adds_difference, toInt64(lagInFrame(now_code_executions) OVER scope_so_far), 0) AS code_executions,
        toInt64(now_web_fetches) - if(adds_difference, toInt64(lagInFrame(now_web_fetches) OVER scope_so_far), 0) AS web_fetches,
        requested_model, stated_cost, stated_currency, request_id, message_id,
        lagInFrame(counted) OVER scope_so_far AS counted_before
    FROM (
        SELECT
            session_id, stream_id, usage_id, toUnixTimestamp64Nano(at) AS at_ns, version, scope, mode,
            span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, raw, total AS stated,
            input AS now_input, cache_read AS now_cache_read, cache_write_5m AS now_cache_write_5m,
            cache_write_1h AS now_cache_write_1h, output AS now_output, reasoning AS now_reasoning,
            input + cache_read + cache_write_5m + cache_write_1h + output + reasoning AS counted,
            input_audio AS now_input_audio, input_image AS now_input_image, input_video AS now_input_video,
            cache_read_audio AS now_cache_read_audio, cache_read_image AS now_cache_read_image, cache_read_video AS now_cache_read_video,
            output_audio AS now_output_audio, output_image AS now_output_image, output_video AS now_output_video,
            web_searches AS now_web_searches, code_executions AS now_code_executions, web_fetches AS now_web_fetches,
            requested_model, stated_cost, stated_currency, request_id, message_id
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
        AND session_id IN (SELECT session_id FROM per_session WHERE NOT plain)
        ORDER BY at DESC, version DESC, stream_id DESC
        LIMIT 1 BY session_id, usage_id)
    WINDOW scope_so_far AS (PARTITION BY session_id, mode, scope ORDER BY at_ns, stream_id, version, usage_id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
    GROUP BY session_id) AS spent ON streams.session_id = spent.session_id
    WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
  AND session_id IN (
      SELECT session_id FROM streams WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND first_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND dialect IN {dialects:Array(String)})
  AND session_id IN (
      SELECT session_id FROM streams WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND first_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND decoder_version < {decoders:UInt32})
    GROUP BY session_id) AS sessions
WHERE 1
   AND started_ns >= {from:Int64}
   AND if(session_id IN {open:Array(String)}, greatest({now:Int64}, last_ns), end_ns) - started_ns >= {min_duration:Int64}
   AND if(session_id IN {open:Array(String)}, greatest({now:Int64}, last_ns), end_ns) - started_ns <= {max_duration:Int64}
   AND tokens >= {min_tokens:Int64}
   AND tokens <= {max_tokens:Int64}
   AND (sort_key, session_id) < ({after_key:Int64}, {after_id:String})
ORDER BY sort_key DESC, session_id DESC
LIMIT {limit:UInt64}
