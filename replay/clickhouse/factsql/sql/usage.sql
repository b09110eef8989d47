SELECT {{template "fact_columns" "usage_id"}},
  scope, toString(mode), toUnixTimestamp64Nano(at), span_id, model, provider,
  input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, total, raw
FROM usage {{template "of_session" .}}
