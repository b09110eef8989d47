{{- /* Tool calls by period and group, with exact quantiles (those of
quantileExactInclusive, which interpolate between neighbours). A call counts when
its session first spoke of it; its time is what the source measured, else from
start to end, and counts if it ended. A call that runs, as it is open in an open
session, is as old as it is now: that counts for the maximum. span_stream is the stream of a
call of which one stream speaks, otherwise empty. The last row is that of all calls. */ -}}
{{define "exceptional_tools"}}{{template "exceptions" .}} WHERE kind = 'tool'{{end}}
{{define "tool_calls"}}
    SELECT
        session_id, span_id, span_stream, span_name, span_agent, span_status, started_ns, ended_ns, reported_ns, seen_ns,
        span_status IN ('ok', 'error', 'cancelled') AND (reported_ns > 0 OR started_ns != 0 AND ended_ns != 0) AS timed,
        span_status IN ('', 'open', 'waiting') AND session_id IN {open:Array(String)} AS runs,
        multiIf(
            runs, greatest({now:Int64} - if(started_ns != 0, started_ns, seen_ns), 0),
            reported_ns > 0, reported_ns,
            ended_ns - started_ns) AS took_ns
    FROM (
        SELECT session_id, span_id, stream_id AS span_stream, name AS span_name, agent AS span_agent, status AS span_status,
            toUnixTimestamp64Nano(started) AS started_ns, toUnixTimestamp64Nano(ended) AS ended_ns,
            duration_ns AS reported_ns, toUnixTimestamp64Nano(seen_at) AS seen_ns
        FROM spans FINAL
        PREWHERE {{template "days" .}} AND {{template "current"}}
             {{template "plain" .}}
        WHERE kind = 'tool'
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
        {{- if .Careful}}
        UNION ALL
        SELECT session_id, span_id, '' AS span_stream, span_name, span_agent, span_status, started_ns, ended_ns, reported_ns, seen_ns
        FROM ({{template "merged_spans" (render "exceptional_tools" .)}})
        {{- end}})
    WHERE 1
    {{- if and .Careful .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
    {{- if .From}} AND seen_ns >= {from:Int64}{{end}}
    {{- if .To}} AND seen_ns < {to:Int64}{{end}}
{{- end}}
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
