



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
            FROM usage AS records
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
                AND ((SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0 OR NOT ((records.session_id, usage_id) IN (
        SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1)))
            GROUP BY session_id
            HAVING straight >= {min_tokens:Int64})
    SELECT session_id, straight AS session_tokens FROM per_session WHERE plain
    UNION ALL
    SELECT session_id, sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning) AS session_tokens
    FROM (
    SELECT
        session_id, stream_id, usage_id, at_ns, span_id, run_id, node_id, agent, dialect, version, mode, scope, raw, stated, counted,
        last_model AS model, last_provider AS provider, last_requested_model AS requested_model, last_service_tier AS service_tier,
        last_speed AS speed, last_region AS region, last_request_id AS request_id, last_message_id AS message_id,
        if(mode = 'running', '', last_stated_cost) AS stated_cost, if(mode = 'running', '', last_currency) AS stated_currency,
        mode = 'running' AND counted >= counted_before AS adds_difference,
        toInt64(now_input) - if(adds_difference, toInt64(lagInFrame(now_input) OVER scope_so_far), 0) AS input,
        toInt64(now_cache_read) - if(adds_difference, toInt64(lagInFrame(now_cache_read) OVER scope_so_far), 0) AS cache_read,
        toInt64(now_cache_write_5m) - if(adds_difference, toInt64(lagInFrame(now_cache_write_5m) OVER scope_so_far), 0) AS cache_write_5m,
        toInt64(now_cache_write_1h) - if(adds_difference, toInt64(lagInFrame(now_cache_write_1h) OVER scope_so_far), 0) AS cache_write_1h,
        toInt64(now_output) - if(adds_difference, toInt64(lagInFrame(now_output) OVER scope_so_far), 0) AS output,
        toInt64(now_reasoning) - if(adds_difference, toInt64(lagInFrame(now_reasoning) OVER scope_so_far), 0) AS reasoning,
        toInt64(now_input_text) - if(adds_difference, toInt64(lagInFrame(now_input_text) OVER scope_so_far), 0) AS input_text,
        toInt64(now_input_audio) - if(adds_difference, toInt64(lagInFrame(now_input_audio) OVER scope_so_far), 0) AS input_audio,
        toInt64(now_input_image) - if(adds_difference, toInt64(lagInFrame(now_input_image) OVER scope_so_far), 0) AS input_image,
        toInt64(now_input_video) - if(adds_difference, toInt64(lagInFrame(now_input_video) OVER scope_so_far), 0) AS input_video,
        toInt64(now_cache_read_text) - if(adds_difference, toInt64(lagInFrame(now_cache_read_text) OVER scope_so_far), 0) AS cache_read_text,
        toInt64(now_cache_read_audio) - if(adds_difference, toInt64(lagInFrame(now_cache_read_audio) OVER scope_so_far), 0) AS cache_read_audio,
        toInt64(now_cache_read_image) - if(adds_difference, toInt64(lagInFrame(now_cache_read_image) OVER scope_so_far), 0) AS cache_read_image,
        toInt64(now_cache_read_video) - if(adds_difference, toInt64(lagInFrame(now_cache_read_video) OVER scope_so_far), 0) AS cache_read_video,
        toInt64(now_output_text) - if(adds_difference, toInt64(lagInFrame(now_output_text) OVER scope_so_far), 0) AS output_text,
        toInt64(now_output_audio) - if(adds_difference, toInt64(lagInFrame(now_output_audio) OVER scope_so_far), 0) AS output_audio,
        toInt64(now_output_image) - if(adds_difference, toInt64(lagInFrame(now_output_image) OVER scope_so_far), 0) AS output_image,
        toInt64(now_output_video) - if(adds_difference, toInt64(lagInFrame(now_output_video) OVER scope_so_far), 0) AS output_video,
        toInt64(now_web_searches) - if(adds_difference, toInt64(lagInFrame(now_web_searches) OVER scope_so_far), 0) AS web_searches,
        toInt64(now_web_fetches) - if(adds_difference, toInt64(lagInFrame(now_web_fetches) OVER scope_so_far), 0) AS web_fetches,
        toInt64(now_code_executions) - if(adds_difference, toInt64(lagInFrame(now_code_executions) OVER scope_so_far), 0) AS code_executions,
        lagInFrame(counted) OVER scope_so_far AS counted_before
    FROM (
        SELECT *,
            last_parts.1 AS now_input_text,
            last_parts.2 AS now_input_audio,
            last_parts.3 AS now_input_image,
            last_parts.4 AS now_input_video,
            last_parts.5 AS now_cache_read_text,
            last_parts.6 AS now_cache_read_audio,
            last_parts.7 AS now_cache_read_image,
            last_parts.8 AS now_cache_read_video,
            last_parts.9 AS now_output_text,
            last_parts.10 AS now_output_audio,
            last_parts.11 AS now_output_image,
            last_parts.12 AS now_output_video,
            last_tools.1 AS now_web_searches,
            last_tools.2 AS now_web_fetches,
            last_tools.3 AS now_code_executions
        FROM (
            SELECT
                session_id, stream_id, usage_id, arrayMin((maxMap([stream_id], [toUnixTimestamp64Nano(at)]) OVER last_first).2) AS at_ns, version, scope, mode,
                span_id, run_id, node_id, agent, dialect, raw, total AS stated,
                input AS now_input, cache_read AS now_cache_read, cache_write_5m AS now_cache_write_5m,
                cache_write_1h AS now_cache_write_1h, output AS now_output, reasoning AS now_reasoning,
                input + cache_read + cache_write_5m + cache_write_1h + output + reasoning AS counted,
                row_number() OVER last_first AS place,
                anyIf(model, model != '') OVER last_first AS last_model,
                anyIf(provider, provider != '') OVER last_first AS last_provider,
                anyIf(requested_model, requested_model != '') OVER last_first AS last_requested_model,
                anyIf(service_tier, service_tier != '') OVER last_first AS last_service_tier,
                anyIf(speed, speed != '') OVER last_first AS last_speed,
                anyIf(region, region != '') OVER last_first AS last_region,
                anyIf(request_id, request_id != '') OVER last_first AS last_request_id,
                anyIf(message_id, message_id != '') OVER last_first AS last_message_id,
                anyIf(stated_cost, stated_cost != '') OVER last_first AS last_stated_cost,
                anyIf(stated_currency, stated_cost != '') OVER last_first AS last_currency,
                anyIf(tuple(input_text, input_audio, input_image, input_video, cache_read_text, cache_read_audio, cache_read_image, cache_read_video, output_text, output_audio, output_image, output_video), input_text + input_audio + input_image + input_video + cache_read_text + cache_read_audio + cache_read_image + cache_read_video + output_text + output_audio + output_image + output_video != 0) OVER last_first AS last_parts,
                anyIf(tuple(web_searches, web_fetches, code_executions), web_searches + web_fetches + code_executions != 0) OVER last_first AS last_tools
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
            WINDOW last_first AS (PARTITION BY session_id, usage_id ORDER BY at DESC, version DESC, stream_id DESC
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
        WHERE place = 1)
    WINDOW scope_so_far AS (PARTITION BY session_id, mode, scope ORDER BY at_ns, stream_id, version, usage_id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) AS records
    WHERE ((SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0 OR NOT ((records.session_id, usage_id) IN (
        SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1)))
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
      SELECT session_id FROM notes FINAL
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
      WHERE deleted = 0
      GROUP BY session_id
      HAVING 1 AND hasAny(groupUniqArrayArray(labels), {labels:Array(String)}) AND hasAny(groupUniqArray(thumb), {thumbs:Array(String)}))
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
