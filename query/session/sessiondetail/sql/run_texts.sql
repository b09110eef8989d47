{{- /* What users said and how agents answered in one session, cut short, in order:
of the views of a message the one that saw most. */ -}}
SELECT
    message_id, span_id, run_id, kind, toUnixTimestamp64Nano(started) AS started_ns,
    toUnixTimestamp64Nano(least(started, seen_at)) AS from_ns, toUnixTimestamp64Nano(greatest(started, ended, seen_at)) AS until_ns,
    leftUTF8(text, {length:UInt64} + 1) AS excerpt
FROM messages FINAL
PREWHERE {{template "in_found_sessions" .}}
WHERE kind IN ('user', 'assistant', 'reply')
ORDER BY complete DESC, length(text) DESC, started, version DESC, stream_id DESC
LIMIT 1 BY message_id
