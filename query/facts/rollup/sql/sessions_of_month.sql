{{- /* The sessions whose usage and calls of models and tools begin in a month. counts says whether there is any
usage, and care whether its records need care: one stands several times, or is a running total.
Sessions that are being deleted are left out, since their rows disappear without an insert. */ -}}
{{template "own_sessions" (render "of_month" .)}}
{{- define "of_month"}}tenant = {tenant:String} AND toYYYYMM(seen_at) >= {month:UInt32} AND {{template "current"}}
        AND session_id IN ({{template "seen_in" "="}})
        AND session_id NOT IN (
            SELECT session_id FROM ({{template "seen_in" "<"}})
            WHERE session_id IN ({{template "seen_in" "="}}))
        AND session_id NOT IN (SELECT session_id FROM tombstones FINAL WHERE tenant = {tenant:String} AND finished = 0)
        AND session_id NOT IN (SELECT session_id FROM expirations FINAL
            WHERE tenant = {tenant:String} AND kind IN ('charges', 'facts', 'messages') AND finished = 0)
{{- end}}
{{define "seen_in"}}SELECT session_id FROM usage WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) {{.}} {month:UInt32}
            UNION ALL SELECT session_id FROM spans WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) {{.}} {month:UInt32} AND kind IN ('llm', 'tool'){{end}}
{{- /* own_sessions: the sessions of usage and calls that meet a condition, the dot. */ -}}
{{define "own_sessions"}}
SELECT session_id, max(used)::Bool AS counts, (uniqExactIf(id, used) != countIf(used) OR countIf(mode = 'running') > 0)::Bool AS care
FROM (
    SELECT session_id, cityHash64(usage_id) AS id, toString(mode) AS mode, true AS used
    FROM usage
    WHERE {{.}}
    UNION ALL
    SELECT DISTINCT session_id, toUInt64(0), '', false
    FROM spans
    WHERE kind IN ('llm', 'tool') AND {{.}})
GROUP BY session_id
{{- end}}
