{{- /* define only: a row for each call of a tool. A call counts when its session first spoke of it; its time
is what the source measured, else from start to end, and counts if it ended. A call that runs, as it is open in
an open session, is as old as it is now. */ -}}
{{- /* tool_columns: the columns of settled_tools under the names of these statements. */ -}}
{{define "tool_columns"}}session_id, span_id, stream_id AS first_stream, seq AS first_frame, tool AS span_name, agent AS span_agent, status AS span_status,
        started_ns, ended_ns, reported_ns, latest_ns, toUnixTimestamp64Nano(at) AS seen_ns
{{- end}}
{{define "tool_calls"}}{{template "sessions_of_calls" .}}
    SELECT *,
        span_status IN ('ok', 'error', 'cancelled') AND (reported_ns > 0 OR started_ns != 0 AND ended_ns != 0) AS timed,
        span_status IN ('', 'open', 'waiting') AND session_id IN {open:Array(String)} AS runs,
        multiIf(
            runs, greatest({now:Int64} - if(started_ns != 0, started_ns, seen_ns), 0),
            reported_ns > 0, reported_ns,
            ended_ns - started_ns) AS took_ns
    FROM ({{template "counted_tools" (.Counted (render "tool_columns" .) (render "counted_where" .) (render "among" .) "")}})
    WHERE 1
    {{- if .From}} AND seen_ns >= {from:Int64}{{end}}
    {{- if .To}} AND seen_ns < {to:Int64}{{end}}
{{- end}}
