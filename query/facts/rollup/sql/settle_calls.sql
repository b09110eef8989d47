{{- /* Writes the calls of models of sessions of a batch, which come in the table unsettled_sessions. */ -}}
INSERT INTO settled_calls (batch, tenant, {{template "settled_call_columns"}})
SELECT {batch:String}, {tenant:String}, {{template "settled_call_columns"}}
FROM ({{template "made_calls" (render "calls_of" .)}})
{{- define "settled_call_columns"}}session_id, stream_id, at, seq, span_id, run_id, model, provider, agent, status, stop_reason, error, http_status,
    started_ns, ended_ns, first_token_ns, retry, output_tokens, all_tokens, chunks, gaps, spread_ns, longest_ns, longest_from_ns{{end}}
