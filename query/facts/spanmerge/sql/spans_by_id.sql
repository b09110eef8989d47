{{- /* Spans of some sessions: every stream's view of each. */ -}}
SELECT session_id, {{template "span_columns"}}
FROM spans FINAL
PREWHERE {{template "in_sessions"}}
WHERE span_id IN {spans:Array(String)}
