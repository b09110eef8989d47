INSERT INTO settled_usage (batch, tenant, session_id, stream_id, at, rest, span_id, run_id, node_id, agent, dialect, class,
    provider, model, service_tier, speed, region, valid, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions, tags)
SELECT batch, tenant, session_id, stream_id, at, startsWith(scope, 'rest:')::Bool, span_id, run_id, node_id, agent, dialect, sipHash128(provider, model, service_tier, speed, region, (input + cache_read + cache_write_5m + cache_write_1h) != 0, output + reasoning != 0,
        (cache_read_audio != 0) + 2 * (cache_read_image != 0) + 4 * (cache_read_video != 0),
        (least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions) >= 0
        AND input_audio + input_image + input_video <= input
        AND cache_read_audio + cache_read_image + cache_read_video <= cache_read
        AND output_audio + output_image + output_video <= output), startsWith(scope, 'rest:')),
    provider, model, service_tier, speed, region, (least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions) >= 0
        AND input_audio + input_image + input_video <= input
        AND cache_read_audio + cache_read_image + cache_read_video <= cache_read
        AND output_audio + output_image + output_video <= output)::Bool, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions, cell_tags
FROM settled_charges
WHERE batch = {batch:String} AND tenant = {tenant:String}
