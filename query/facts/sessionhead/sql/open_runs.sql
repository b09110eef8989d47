{{- /* How many runs some sessions have, and how many of them are open. */ -}}
{{define "runs_of_sessions"}}PREWHERE {{template "in_sessions"}} WHERE kind IN ('', 'run'){{end -}}
SELECT
    session_id,
    countIf(span_kind = 'run') AS runs,
    countIf(span_kind = 'run' AND span_status IN ('', 'open', 'waiting')) AS open_runs
FROM ({{template "merged_spans" (render "runs_of_sessions" .)}})
GROUP BY session_id
