{{- /* The first messages of one session by their sizes: each id once. */ -}}
SELECT message_id, max(length(text)) AS size, max(toUnixTimestamp64Nano(seen_at)) AS seen_ns, min(toUnixTimestamp64Nano(started)) AS started_ns
FROM messages FINAL
PREWHERE {{template "in_found_sessions" .}}
GROUP BY message_id
ORDER BY started_ns, seen_ns, message_id
LIMIT {limit:UInt64}
