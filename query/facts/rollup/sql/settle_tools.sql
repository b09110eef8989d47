{{- /* Writes the calls of tools of sessions of a batch, which come in the table unsettled_sessions. */ -}}
INSERT INTO settled_tools (batch, tenant, {{template "settled_tool_columns"}})
SELECT {batch:String}, {tenant:String}, {{template "settled_tool_columns"}}
FROM ({{template "made_tools" (render "calls_of" .)}})
{{- define "settled_tool_columns"}}session_id, stream_id, at, seq, span_id, run_id, node_id, tool, agent, status, started_ns, ended_ns, reported_ns, latest_ns{{end}}
