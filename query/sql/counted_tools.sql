{{- /* define only: calls of tools as reports count them, in the columns of settled_tools. What is
settled is read from there; what changed since is made in the same way from the tables that the
sink writes, as in counted_calls.sql. */ -}}
{{- /* tool_spans: the spans of calls. only_stream is the stream that speaks of a call, "" if several do. */ -}}
{{define "tool_spans"}}
    SELECT session_id, span_id, span_parent AS parent_id, span_run AS run_id, span_node AS node_id, span_name AS call_tool, span_agent AS call_agent, span_status AS call_status,
        started_ns, ended_ns, reported_ns, seen_ns, first_seen.2 AS first_stream, first_seen.3 AS first_frame, only_stream
    FROM (
        SELECT{{template "merged_columns"}},
            argMaxIf(parent_id, rank, parent_id != '') AS span_parent, argMaxIf(run_id, rank, run_id != '') AS span_run, argMaxIf(node_id, rank, node_id != '') AS span_node,
            if(uniqExact(stream_id) = 1, any(stream_id), '') AS only_stream
        FROM (SELECT *, {{template "span_rank"}}
            FROM spans FINAL
            PREWHERE {{.}}
            WHERE kind = 'tool')
        GROUP BY session_id, span_id)
{{- end}}
{{define "without_end"}}('', 'open', 'waiting', 'unclosed'){{end}}
{{- /* made_tools: the rows of calls. The dot is as for made_calls. A call without an end lasted until its stream
ended, or its session where several streams speak of the call or may still bring its result. A call of one
stream, directly below a run, lasted until the run ended at most. */ -}}
{{define "made_tools"}}
SELECT
    calls.session_id AS session_id, first_stream AS stream_id, fromUnixTimestamp64Nano(seen_ns, 'UTC') AS at, first_frame AS seq,
    span_id, run_id, node_id, toLowCardinality(call_tool) AS tool, toLowCardinality(call_agent) AS agent, toLowCardinality(call_status) AS status,
    started_ns, ended_ns, reported_ns,
    multiIf(
        call_status NOT IN {{template "without_end"}}, 0,
        ended_ns != 0, ended_ns,
        last_stream != '' AND end_ns != 0 AND run_ended_ns != 0 AND run_ended_ns >= if(started_ns != 0, started_ns, seen_ns), least(end_ns, run_ended_ns),
        end_ns) AS latest_ns
FROM (
    SELECT *, if(call_status = 'unclosed', only_stream, '') AS last_stream
    FROM ({{template "tool_spans" .}})) AS calls
LEFT ANY JOIN (
    SELECT session_id, stream_id AS ending_stream, toUnixTimestamp64Nano(max(greatest(first_at, last_at, ended))) AS end_ns
    FROM streams
    WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions)
    GROUP BY GROUPING SETS ((session_id, stream_id), (session_id))
) AS ends ON calls.session_id = ends.session_id AND calls.last_stream = ends.ending_stream
LEFT ANY JOIN (
    SELECT session_id, span_id AS run_span, merged.ended_ns AS run_ended_ns
    FROM ({{template "merged_spans" (print "PREWHERE " . " WHERE kind = 'run'")}}) AS merged
    WHERE span_status NOT IN {{template "without_end"}}
) AS runs ON calls.session_id = runs.session_id AND calls.parent_id = runs.run_span
{{- end}}
{{- /* counted_tools: as counted_calls. */ -}}
{{define "counted_tools"}}
    {{- if .Settled}}
    SELECT {{.Columns}}
    FROM settled_tools
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}{{.Where}}{{template "settled_mask" .}}
    {{- end}}
    {{- if and .Settled .Unsettled}}
    UNION ALL
    {{- end}}
    {{- if .Unsettled}}
    SELECT {{.Columns}}
    FROM ({{template "made_tools" (print (render "calls_of" .) .Rows)}})
    {{- end}}
{{- end}}
