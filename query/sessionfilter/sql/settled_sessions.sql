{{- /* What the list shows of some settled sessions, but for their usage. */ -}}
SELECT
    session_id AS settled_id, started_ns, last_ns, end_ns, last_ended_ns, last_reason,
    streams, frames, bytes, cut, title, dialects, tag_keys, tag_values,
    runs, open_runs, unclosed_runs, failed_runs, cancelled_runs, last_run, tool_calls, tool_errors, unclosed_spans, open_spans, agents, models,
    {{template "span_ends_columns"}}
FROM settled_sessions
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND session_id IN {sessions:Array(String)}{{template "settled_mask" .}}
