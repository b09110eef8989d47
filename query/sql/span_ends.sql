{{- /* define only: what the spans say of how sessions ended: the last run that failed with the
call that ended last in it, the last run that was cancelled, and the span that was open
when the session broke off, which is the call that began last, a tool's before a
model's, otherwise the innermost span. sessionhead.NewEnd finds the same in all spans of
one session. The argument selects merged spans with their error and, in session_last_ns, the
time of their session's last frame. */ -}}
{{define "span_ends"}}
WITH arraySort(arrayFilter(c -> c.2 >= failed.3 AND (failed.4 = 0 OR c.1 <= failed.4), calls))[-1] AS call
SELECT
    session_id,
    failed.1 AS failed_id, failed.2 AS failed_name, failed.3 AS failed_begin_ns, failed.4 AS failed_ended_ns, failed.5 AS failed_error,
    cancelled.1 AS cancelled_id, cancelled.2 AS cancelled_name, cancelled.3 AS cancelled_ended_ns,
    call.4 AS call_id, call.5 AS call_kind, call.6 AS call_name, call.7 AS call_status, call.8 AS call_error,
    call.1 AS call_ended_ns, call.2 AS call_begin_ns,
    pending.1 AS open_id, pending.2 AS open_kind, pending.3 AS open_name, pending.4 AS open_status
FROM (
    SELECT
        session_id,
        argMaxIf((span_id, span_name, begin_ns, ended_ns, span_error), first_seen, span_kind = 'run' AND span_status = 'error') AS failed,
        argMaxIf((span_id, span_name, ended_ns), first_seen, span_kind = 'run' AND span_status = 'cancelled') AS cancelled,
        argMaxIf(
            (span_id, span_kind, span_name, span_status), (kind_rank, begin_ns, first_seen, span_id),
            span_status IN ('', 'open', 'waiting', 'unclosed')
                AND (ended_ns = 0 OR ended_ns >= session_last_ns)) AS pending,
        groupArrayIf(
            (ended_ns, begin_ns, first_seen, span_id, span_kind, span_name, span_status, span_error),
            span_kind IN ('tool', 'llm') AND ended_ns != 0) AS calls
    FROM (
        SELECT
            *,
            multiIf(started_ns != 0, started_ns, ended_ns != 0 AND reported_ns > 0, ended_ns - reported_ns, seen_ns) AS begin_ns,
            transform(span_kind, ['tool', 'llm', 'node'], [3, 2, 1], 0) AS kind_rank
        FROM ({{.}}))
    GROUP BY session_id)
{{- end}}
{{define "span_ends_columns"}}failed_id, failed_name, failed_begin_ns, failed_ended_ns, failed_error,
    cancelled_id, cancelled_name, cancelled_ended_ns,
    call_id, call_kind, call_name, call_status, call_error, call_ended_ns, call_begin_ns,
    open_id, open_kind, open_name, open_status
{{- end}}
{{- /* spans_with_errors: merged spans with their error; the argument selects rows. */ -}}
{{define "spans_with_errors"}}
            SELECT{{template "merged_columns"}},
                argMax(error, rank) AS span_error
            FROM (SELECT *, {{template "span_rank"}}
                FROM spans FINAL
                {{.}})
            GROUP BY session_id, span_id
{{- end}}
