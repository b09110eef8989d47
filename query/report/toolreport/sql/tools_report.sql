{{- /* Tool calls by period and group, with exact quantiles (those of
quantileExactInclusive, which interpolate between neighbours). The age of calls that run counts for the
maximum. The last row is that of all calls. */ -}}
SELECT
    {{.Period}} AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    grouping(period) = 1 AS is_total,
    count() AS calls,
    countIf(span_status = 'error') AS errors,
    countIf(span_status IN ('', 'open', 'waiting', 'unclosed')) AS open_calls,
    countIf(runs) AS running_calls,
    countIf(timed) AS timed_calls,
    minIf(took_ns, timed) AS min_ns,
    avgIf(took_ns, timed) AS avg_ns,
    quantilesExactInclusiveIf(0.5, 0.9, 0.95, 0.99)(took_ns, timed) AS quantiles_ns,
    maxIf(took_ns, timed OR runs) AS max_ns
FROM ({{template "tool_calls" .}})
GROUP BY GROUPING SETS ((period{{range .Groups}}, {{.}}{{end}}), ())
ORDER BY is_total, period, groups
LIMIT {limit:UInt64}
