SELECT {{template "fact_columns" "span_id"}},
  toString(kind), parent_id, name, toString(status), toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(ended),
  toUnixTimestamp64Nano(first_token), duration_ns, call_id, model, provider, error, attributes
FROM spans {{template "of_session" .}}
