{{- /* Calls of a model with and without usage of their own. A call without any is in a
total where its run has usage that belongs to no call. */ -}}
WITH
    calls AS (
        SELECT
            session_id, span_id,
            argMax(status, rank) AS span_status,
            argMaxIf(run_id, rank, run_id != '') AS span_run,
            max(JSONExtractBool(attributes, {start_output:String})) AS has_start_output
        FROM (SELECT *, {{template "span_rank"}}
            FROM spans FINAL
            PREWHERE {{template "in_sessions"}}
            WHERE kind = 'llm')
        GROUP BY session_id, span_id),
    used AS (
        SELECT DISTINCT session_id, span_id, run_id
        FROM usage FINAL
        PREWHERE {{template "in_sessions"}}),
    totals AS (
        SELECT DISTINCT session_id, run_id FROM used
        WHERE (session_id, span_id) NOT IN (SELECT session_id, span_id FROM calls))
SELECT
    session_id,
    count() AS model_calls,
    countIf(is_open) AS open_calls,
    countIf(NOT has_usage AND NOT in_total AND is_ended) AS without_usage,
    countIf(NOT has_usage AND NOT in_total AND is_cut) AS cut_off,
    countIf(NOT has_usage AND in_total) AS in_totals,
    countIf(has_usage AND is_cut) AS cut_off_with_usage,
    countIf(has_usage AND has_start_output) AS start_output
FROM (
    SELECT
        session_id,
        has_start_output,
        span_status IN ('', 'open', 'waiting') AS is_open,
        span_status IN ('unclosed', 'error', 'cancelled') AS is_cut,
        NOT is_open AND NOT is_cut AS is_ended,
        (session_id, span_id) IN (SELECT session_id, span_id FROM used) AS has_usage,
        (session_id, span_run) IN (SELECT session_id, run_id FROM totals) AS in_total
    FROM calls)
GROUP BY session_id
