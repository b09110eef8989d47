{{- /* How long the calls of some tools took that ended, of each tool with enough of them. */ -}}
SELECT span_name, count() AS timed_calls, quantileExactInclusive(0.99)(took_ns) AS p99_ns
FROM ({{template "tool_calls" .}})
WHERE timed AND span_name IN {tools:Array(String)}
GROUP BY span_name
HAVING timed_calls >= {least:UInt64}
