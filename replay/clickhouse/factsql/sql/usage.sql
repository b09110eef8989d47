SELECT {{template "fact_columns" "usage_id"}},
  scope, toString(mode), toUnixTimestamp64Nano(at), span_id, model, provider,
  input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, total, raw,
  requested_model, service_tier, speed, region, stated_cost, stated_currency, request_id, message_id,
  input_text, input_audio, input_image, input_video, cache_read_text, cache_read_audio, cache_read_image, cache_read_video,
  output_text, output_audio, output_image, output_video, web_searches, web_fetches, code_executions
FROM usage {{template "of_session" .}}
