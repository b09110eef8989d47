SELECT
    records.session_id AS session_id,
    any(records.provider) AS cell_provider,
    any(records.model) AS cell_model,
    any(records.service_tier) AS cell_service_tier,
    any(records.speed) AS cell_speed,
    any(records.region) AS cell_region,
    any(at_ns) AS cell_at,
    any((input + cache_read + cache_write_5m + cache_write_1h)) AS cell_input,
    any((least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions) >= 0
        AND input_audio + input_image + input_video <= input
        AND cache_read_audio + cache_read_image + cache_read_video <= cache_read
        AND output_audio + output_image + output_video <= output))::Bool AS cell_valid,
    any(startsWith(scope, 'rest:'))::Bool AS cell_rest,
    []::Array(String) AS cell_tags,
    countIf(NOT startsWith(scope, 'rest:')) AS calls,
    sum(input) AS input_sum,
    sum(cache_read) AS cache_read_sum,
    sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum,
    sum(output) AS output_sum,
    sum(reasoning) AS reasoning_sum,
    sum(input_audio) AS input_audio_sum,
    sum(input_image) AS input_image_sum,
    sum(input_video) AS input_video_sum,
    sum(cache_read_audio) AS cache_read_audio_sum,
    sum(cache_read_image) AS cache_read_image_sum,
    sum(cache_read_video) AS cache_read_video_sum,
    sum(output_audio) AS output_audio_sum,
    sum(output_image) AS output_image_sum,
    sum(output_video) AS output_video_sum,
    sum(web_searches) AS web_searches_sum,
    sum(code_executions) AS code_executions_sum,
    countIf(stated != 0 AND stated != counted) AS mismatches
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
        ORDER BY at DESC, version DESC, stream_id DESC
        LIMIT 1 BY session_id, usage_id)
    WINDOW scope_so_far AS (PARTITION BY session_id, mode, scope ORDER BY at_ns, stream_id, version, usage_id
                            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) AS records
GROUP BY session_id,
    records.provider, records.model, records.service_tier, records.speed, records.region,
    arrayCount(start -> start < (input + cache_read + cache_write_5m + cache_write_1h), {tier_starts:Array(Int64)}),
    arrayCount(instant -> instant <= at_ns, {price_instants:Array(Int64)}),
    arrayCount(since -> since <= at_ns % 86400000000000, {price_times:Array(Int64)}),
    (input + cache_read + cache_write_5m + cache_write_1h) != 0, output + reasoning != 0,
    (cache_read_audio != 0) + 2 * (cache_read_image != 0) + 4 * (cache_read_video != 0),
    (least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions) >= 0
        AND input_audio + input_image + input_video <= input
        AND cache_read_audio + cache_read_image + cache_read_video <= cache_read
        AND output_audio + output_image + output_video <= output),
    startsWith(scope, 'rest:')
