{{- /* The messages of one session without their texts: every stream's view. */ -}}
SELECT
    message_id, stream_id, toUnixTimestamp64Nano(seen_at) AS seen_ns, seen_seq, version,
    complete, length(text) AS size,
    toUnixTimestamp64Nano(started) AS started_ns,
    toUnixTimestamp64Nano(ended) AS ended_ns
FROM messages FINAL
PREWHERE {{template "in_found_sessions" .}}
