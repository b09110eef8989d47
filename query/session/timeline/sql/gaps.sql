{{- /* How evenly the assistant's messages of one session grew: of the views of a
message the one that saw most. The gaps are those between one chunk and the next. */ -}}
SELECT
    message_id, span_id, chunks, started_ns,
    arrayReduce('quantileExactInclusive(0.5)', gaps) AS p50_ns,
    arrayMax(gaps) AS max_ns,
    chunk_at[indexOf(gaps, max_ns)] AS longest_from_ns
FROM (
    SELECT
        message_id, span_id, chunk_at, toUnixTimestamp64Nano(started) AS started_ns,
        length(chunk_at) AS chunks,
        arrayPopFront(arrayDifference(chunk_at)) AS gaps
    FROM messages FINAL
    PREWHERE {{template "in_found_sessions" .}}
    WHERE kind = 'assistant' AND length(chunk_at) > 1
    ORDER BY complete DESC, chunks DESC, started, version DESC, stream_id DESC
    LIMIT 1 BY message_id)
ORDER BY started_ns, message_id
