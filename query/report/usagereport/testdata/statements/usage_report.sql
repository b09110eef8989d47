SELECT
    materialize('') AS period,
    [toString(records.model)]::Array(String) AS groups,
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
    countIf(stated != 0 AND stated != counted) AS mismatches,
    '' AS stated_currency, toUInt64(0) AS stated_calls, toDecimal256(0, 36) AS stated_sum, []::Array(String) AS stated_others
FROM (
    SELECT session_id, stream_id, usage_id, scope, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect, stated_cost, stated_currency, toUnixTimestamp64Nano(at) AS at_ns, version, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
    toInt64(usage.input_audio) AS input_audio,
    toInt64(usage.input_image) AS input_image,
    toInt64(usage.input_video) AS input_video,
    toInt64(usage.cache_read_audio) AS cache_read_audio,
    toInt64(usage.cache_read_image) AS cache_read_image,
    toInt64(usage.cache_read_video) AS cache_read_video,
    toInt64(usage.output_audio) AS output_audio,
    toInt64(usage.output_image) AS output_image,
    toInt64(usage.output_video) AS output_video,
    toInt64(usage.web_searches) AS web_searches,
    toInt64(usage.code_executions) AS code_executions
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String}))))
         
) AS records
WHERE 1
GROUP BY period, records.model,
    records.provider, records.model, records.service_tier, records.speed, records.region,
    roundDown((input + cache_read + cache_write_5m + cache_write_1h) - 1, {tier_starts:Array(Int64)}),
    roundDown(at_ns, {price_instants:Array(Int64)}),
    roundDown(at_ns % 86400000000000, {price_times:Array(Int64)}),
    roundDown((intDiv(at_ns, 86400000000000) + 3) % 7, {price_weekdays:Array(Int64)}),
    (input + cache_read + cache_write_5m + cache_write_1h) != 0, output + reasoning != 0,
    (cache_read_audio != 0) + 2 * (cache_read_image != 0) + 4 * (cache_read_video != 0),
    (least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions) >= 0
        AND input_audio + input_image + input_video <= input
        AND cache_read_audio + cache_read_image + cache_read_video <= cache_read
        AND output_audio + output_image + output_video <= output),
    startsWith(scope, 'rest:')
ORDER BY period, groups
