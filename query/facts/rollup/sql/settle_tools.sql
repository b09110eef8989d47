{{- /* Writes the calls of tools of sessions of a batch, which come in the table call_sessions. */ -}}
INSERT INTO settled_tools (batch, tenant, {{template "settled_tool_columns"}})
SELECT {batch:String}, {tenant:String}, {{template "settled_tool_columns"}}
FROM ({{template "made_tools" (.MadeTools (render "calls_of" "call_sessions") "session_id IN (SELECT session_id FROM call_sessions)")}})
{{- define "settled_tool_columns"}}session_id, stream_id, at, seq, span_id, run_id, node_id, tool, agent, status, started_ns, ended_ns, reported_ns, latest_ns{{end}}
