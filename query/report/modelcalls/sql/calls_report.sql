{{- /* Calls of models by period and group. Quantiles are exact (quantileExactInclusive), but
those of the gaps of all calls together, which are within 1 %. The last row is that of all
calls. */ -}}
SELECT
    {{.Period}} AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    grouping(period) = 1 AS is_total,
    count() AS calls,
    countIf(call_status = 'error') AS errors,
    countIf(outcome = 'truncated') AS truncated,
    countIf(outcome = 'refused') AS refused,
    countIf(outcome = 'cancelled') AS cancelled,
    countIf(outcome IN ('open', 'unclosed')) AS unended,
    countIf(retry) AS retries,
    countIf(streamed) AS streamed_calls,
    countIf(stalls > 0) AS stalled_calls,
    sum(stalls) AS all_stalls,
    sum(output_tokens) AS tokens,
    countIf(has_first_token) AS first_tokens,
    quantilesExactInclusiveIf(0.5, 0.95, 0.99, 1)(first_token_took, has_first_token) AS first_token_ns,
    countIf(has_rate) AS rates,
    quantilesExactInclusiveIf(0.05, 0.5)(rate, has_rate) AS rate_quantiles,
    quantilesDDArray(0.01, 0.5, 0.99)(gaps) AS gap_ns,
    max(longest_ns) AS longest,
    countIf(has_duration) AS durations,
    quantilesExactInclusiveIf(0.5, 0.95, 1)(took_ns, has_duration) AS duration_ns
FROM ({{template "model_calls" .}})
GROUP BY GROUPING SETS ((period{{range .Groups}}, {{.}}{{end}}), ())
ORDER BY is_total, period, groups
LIMIT {limit:UInt64}
