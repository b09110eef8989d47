{{- /* Hashes of the arguments of tool calls, of the stream that saw most of them. */ -}}
SELECT session_id, span_id AS of_span, argMax(hex(sipHash128(text)), (complete, length(text), version)) AS arguments
FROM messages FINAL
PREWHERE {{template "in_sessions"}} AND seen_at >= fromUnixTimestamp64Nano({since:Int64})
WHERE kind = 'tool_arguments' AND span_id IN {spans:Array(String)}
GROUP BY session_id, span_id
