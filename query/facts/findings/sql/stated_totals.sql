{{- /* Totals that streams state, with what is recorded of the same: of a rest, the share
beyond the calls; of a running total, its last value and what its records add; of a run,
the total in its attributes and the sum of its records. raw is as the source wrote it. */ -}}
WITH
    records AS ({{template "careful_usage" (print "PREWHERE " (render "in_sessions" .))}}),
    by_run AS (
        SELECT session_id, run_id, sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning) AS tokens
        FROM records
        WHERE run_id != ''
        GROUP BY session_id, run_id)
SELECT session_id, kind, of, run, raw, stated_tokens, tokens, is_known
FROM (
    SELECT session_id, 'rest' AS kind, usage_id AS of, run_id AS run, raw, toInt64(0) AS stated_tokens,
        input + cache_read + cache_write_5m + cache_write_1h + output + reasoning AS tokens, true AS is_known
    FROM records
    WHERE startsWith(scope, 'rest:')
    UNION ALL
    SELECT session_id, 'running', scope, '', argMax(raw, (at_ns, stream_id, usage_id)),
        toInt64(argMax(counted, (at_ns, stream_id, usage_id))),
        sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning), true
    FROM records
    WHERE mode = 'running'
    GROUP BY session_id, scope
    UNION ALL
    SELECT runs.session_id, 'run', runs.span_id, runs.span_run, runs.total, toInt64(0), by_run.tokens, by_run.run_id != ''
    FROM (
        SELECT
            session_id, span_id,
            argMaxIf(run_id, rank, run_id != '') AS span_run,
            argMax(multiIf(JSONHas(attributes, 'total_usage'), JSONExtractRaw(attributes, 'total_usage'),
                JSONExtractRaw(attributes, 'cumulative_usage')), rank) AS total
        FROM (SELECT *, {{template "span_rank"}}
            FROM spans FINAL
            PREWHERE {{template "in_sessions"}}
            WHERE kind = 'run')
        GROUP BY session_id, span_id
        HAVING total != '') AS runs
    LEFT JOIN by_run ON runs.session_id = by_run.session_id AND runs.span_run = by_run.run_id)
ORDER BY session_id, kind, of
LIMIT {most_totals:UInt64} BY session_id
