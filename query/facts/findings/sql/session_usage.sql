{{- /* What the usage records of some sessions that count add up to: those of calls, shares of totals
beyond the calls (rest:), and running totals. */ -}}
SELECT
    session_id,
    {{template "sums"}},
    sumIf(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning, startsWith(scope, 'rest:')) AS rest_tokens,
    countIf(mode = 'running' AND counted < counted_before) AS began_anew
FROM ({{template "careful_usage" (print "PREWHERE " (render "in_sessions" .))}}) AS records
WHERE {{template "counts"}}
GROUP BY session_id
