SELECT
    session_id AS settled_id, started_ns, last_ns, end_ns, last_ended_ns, last_reason,
    streams, frames, bytes, cut, title, dialects, tag_keys, tag_values,
    runs, open_runs, unclosed_runs, failed_runs, cancelled_runs, last_run, tool_calls, tool_errors, unclosed_spans, open_spans, agents, models,
    failed_id, failed_name, failed_begin_ns, failed_ended_ns, failed_error,
    cancelled_id, cancelled_name, cancelled_ended_ns,
    call_id, call_kind, call_name, call_status, call_error, call_ended_ns, call_begin_ns,
    open_id, open_kind, open_name, open_status
FROM settled_sessions
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND (batch = {recent:String} OR session_id NOT IN (SELECT session_id FROM made_sessions))
