{{- /* The tokens of some sessions, all that they ever used. */ -}}
SELECT
    session_id,
    {{template "sums"}}
FROM ({{template "careful_usage" (print "PREWHERE " (render "in_sessions" .))}})
GROUP BY session_id
