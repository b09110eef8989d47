{{- /* What the spans state of some sessions: runs, tool calls, agents, models. */ -}}
SELECT
    session_id, {{- template "span_counts"}}
FROM ({{template "merged_spans" (print "PREWHERE " (render "in_page" .))}})
GROUP BY session_id
