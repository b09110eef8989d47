SELECT
    session_id,
    any(provider) AS cell_provider, any(model) AS cell_model, any(service_tier) AS cell_service_tier, any(speed) AS cell_speed,
    any(region) AS cell_region, any(toUnixTimestamp64Nano(at)) AS cell_at, any((input + cache_read + cache_write_5m + cache_write_1h)) AS cell_input,
    any(valid) AS cell_valid, any(rest) AS cell_rest,
    []::Array(String) AS cell_tags,
    countIf(NOT rest) AS calls,
    sum(input) AS input_sum, sum(cache_read) AS cache_read_sum, sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum, sum(output) AS output_sum, sum(reasoning) AS reasoning_sum,
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
    countIf(mismatch) AS mismatches
FROM settled_usage
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
    AND toDate(at) BETWEEN {first_day:Date} AND {last_day:Date}
    AND (empty({days:Array(Date)}) OR (toDate(at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)}))
GROUP BY session_id, class, roundDown((input + cache_read + cache_write_5m + cache_write_1h) - 1, {tier_starts:Array(Int64)}),
    roundDown(toUnixTimestamp64Nano(at), {price_instants:Array(Int64)}),
    roundDown(toUnixTimestamp64Nano(at) % 86400000000000, {price_times:Array(Int64)}),
    roundDown(toDayOfWeek(at, 1, 'UTC'), {price_weekdays:Array(Int64)})
