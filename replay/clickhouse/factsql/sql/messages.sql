SELECT {{template "fact_columns" "message_id"}},
  toString(kind), span_id, name, text, media, complete, toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(ended),
  chunk_at, chunk_end, attributes
FROM messages {{template "of_session" .}}
