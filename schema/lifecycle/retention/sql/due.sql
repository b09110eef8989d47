{{- /* What is to expire of a kind, the oldest first: what is older than the cutoff, and what is beyond the size when
sessions are counted from the latest on. */ -}}
SELECT session_id, last, size, until, had, if({cutoff:Int64} > 0 AND toUnixTimestamp64Nano(last) < {cutoff:Int64}, 'age', 'size') AS why
FROM (
    SELECT *, sum(size) OVER (ORDER BY last DESC, session_id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS newer
    FROM ({{template "sizes" .}})
)
WHERE {cutoff:Int64} > 0 AND toUnixTimestamp64Nano(last) < {cutoff:Int64} OR {most:UInt64} > 0 AND newer > {most:UInt64}
ORDER BY last, session_id
LIMIT {limit:UInt64}
