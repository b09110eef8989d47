SELECT
    records.session_id AS session_id,
    any(stated_cost) AS amount,
    any(stated_currency) AS currency,
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
    [any(tag_0.value)]::Array(String) AS cell_tags,
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
    SELECT session_id, stream_id, usage_id, toUnixTimestamp64Nano(at) AS at_ns, scope, model, provider, service_tier, speed, region,
        stated_cost, stated_currency, total AS stated,
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
    WHERE mode != 'running'
    ORDER BY at DESC, version DESC, stream_id DESC
    LIMIT 1 BY session_id, usage_id) AS records
LEFT JOIN (
    SELECT of_streams.session_id AS session_id, of_streams.stream_id AS stream_id,
        if(of_streams.own != '', of_streams.own, of_sessions.first) AS value
    FROM (
        SELECT session_id, stream_id, max(tags[{tag_0:String}]) AS own FROM streams
        WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        GROUP BY session_id, stream_id
    ) AS of_streams
    INNER JOIN (
        SELECT session_id, argMin(tags[{tag_0:String}], (first_at, stream_id)) AS first FROM streams
        WHERE tenant = {tenant:String} AND mapContains(tags, {tag_0:String}) AND session_id IN {sessions:Array(String)}
        GROUP BY session_id
    ) AS of_sessions ON of_streams.session_id = of_sessions.session_id
) AS tag_0 ON records.session_id = tag_0.session_id AND records.stream_id = tag_0.stream_id
WHERE stated_cost != '' AND ((SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0 OR NOT ((records.session_id, usage_id) IN (
        SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1)))
GROUP BY session_id, usage_id, tag_0.value
