




SELECT
    records.session_id AS session, stream_id AS stream, usage_id, scope, mode, span_id, run_id, node_id, agent,
    model, provider, service_tier, speed, region, dialect, toUnixTimestamp64Nano(at) AS at_ns, version, stated,
    requested_model, stated_cost, stated_currency, request_id, message_id, toUInt64(NOT startsWith(scope, 'rest:')) AS calls,
    input AS input_sum, cache_read AS cache_read_sum, cache_write_5m AS cache_write_5m_sum, cache_write_1h AS cache_write_1h_sum,
    output AS output_sum, reasoning AS reasoning_sum, input_audio AS input_audio_sum, input_image AS input_image_sum, input_video AS input_video_sum, cache_read_audio AS cache_read_audio_sum, cache_read_image AS cache_read_image_sum, cache_read_video AS cache_read_video_sum, output_audio AS output_audio_sum, output_image AS output_image_sum, output_video AS output_video_sum, web_searches AS web_searches_sum, code_executions AS code_executions_sum, web_fetches,
    arrayStringConcat(arrayMap(text -> concat(toString(length(text)), ':', text),
        arrayConcat(mapKeys(tags)::Array(String), mapValues(tags)))) AS packed_tags,
    []::Array(String) AS cell_tags
FROM (
SELECT session_id, stream_id, usage_id, at, version, scope, mode, span_id, run_id, node_id, agent, dialect,
    provider, model, requested_model, service_tier, speed, region, request_id, message_id, stated, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions, web_fetches, tags, cell_tags
FROM settled_charges
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}
WHERE 1
) AS records
ORDER BY at, session_id, usage_id
