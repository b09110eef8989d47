SELECT
    records.session_id AS session, records.stream_id AS stream, records.usage_id AS usage_id, records.scope AS scope, records.mode AS mode,
    records.span_id AS span_id, records.run_id AS run_id, records.node_id AS node_id, records.agent AS agent,
    records.model AS model, records.provider AS provider, records.service_tier AS service_tier, records.speed AS speed, records.region AS region,
    records.dialect AS dialect, records.at_ns AS at_ns, records.version AS version, records.stated AS stated,
    records.requested_model AS requested_model, records.stated_cost AS stated_cost, records.stated_currency AS stated_currency,
    records.request_id AS request_id, records.message_id AS message_id,
    toUInt64(NOT startsWith(records.scope, 'rest:')) AS calls, input AS input_sum, cache_read AS cache_read_sum,
    cache_write_5m AS cache_write_5m_sum, cache_write_1h AS cache_write_1h_sum, output AS output_sum, reasoning AS reasoning_sum,
    input_audio AS input_audio_sum, input_image AS input_image_sum, input_video AS input_video_sum, cache_read_audio AS cache_read_audio_sum, cache_read_image AS cache_read_image_sum, cache_read_video AS cache_read_video_sum, output_audio AS output_audio_sum, output_image AS output_image_sum, output_video AS output_video_sum, web_searches AS web_searches_sum, code_executions AS code_executions_sum, records.web_fetches AS web_fetches,
    arrayStringConcat(arrayMap(text -> concat(toString(length(text)), ':', text),
        arrayConcat(mapKeys(mapFilter((tag, value) -> value != '', mapUpdate(session_tags.of_session, mapFilter((tag, value) -> value != '', stream_tags.of_stream))))::Array(String), mapValues(mapFilter((tag, value) -> value != '', mapUpdate(session_tags.of_session, mapFilter((tag, value) -> value != '', stream_tags.of_stream))))))) AS packed_tags,
    []::Array(String) AS cell_tags
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
    toInt64(usage.code_executions) AS code_executions,
        mode, toInt64(usage.web_fetches) AS web_fetches, requested_model, request_id, message_id
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
LEFT JOIN (
    SELECT session_id, mapFromArrays(groupArray(tag), groupArray(value)) AS of_session
    FROM (
        SELECT session_id, tag, argMin(value, (first_at, stream_id)) AS value
        FROM streams
        ARRAY JOIN mapKeys(tags)::Array(String) AS tag, mapValues(tags) AS value
        WHERE tenant = {tenant:String}
        GROUP BY session_id, tag)
    GROUP BY session_id
) AS session_tags ON records.session_id = session_tags.session_id
LEFT JOIN (
    SELECT session_id, stream_id, argMax(tags, (first_seq, version))::Map(String, String) AS of_stream
    FROM streams
    WHERE tenant = {tenant:String}
    GROUP BY session_id, stream_id
) AS stream_tags ON records.session_id = stream_tags.session_id AND records.stream_id = stream_tags.stream_id
WHERE 1
ORDER BY at_ns, session, usage_id
