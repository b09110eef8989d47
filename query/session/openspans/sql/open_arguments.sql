{{- /* The beginnings of the arguments of tool calls, of the stream that saw most of them. */ -}}
SELECT session_id, span_id AS of_span,
    argMax(substringUTF8(text, 1, {most:UInt64}), (complete, length(text), version)) AS beginning,
    max(lengthUTF8(text)) > {most:UInt64} AS cut
FROM messages FINAL
PREWHERE {{template "in_page" .}}
WHERE kind = 'tool_arguments' AND span_id IN {spans:Array(String)}
GROUP BY session_id, span_id
