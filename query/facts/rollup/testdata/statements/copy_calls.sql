INSERT INTO settled_calls (batch, tenant, session_id, stream_id, at, seq, span_id, run_id, model, provider, agent, status, stop_reason, error, http_status,
    started_ns, ended_ns, first_token_ns, retry, output_tokens, all_tokens, chunks, gaps, spread_ns, longest_ns, longest_from_ns)
SELECT {batch:String}, {tenant:String}, session_id, stream_id, at, seq, span_id, run_id, model, provider, agent, status, stop_reason, error, http_status,
    started_ns, ended_ns, first_token_ns, retry, output_tokens, all_tokens, chunks, gaps, spread_ns, longest_ns, longest_from_ns
FROM settled_calls
WHERE batch = {from:String} AND tenant = {tenant:String} AND session_id IN (SELECT session_id FROM kept_sessions)
