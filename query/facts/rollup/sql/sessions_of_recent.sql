{{- /* The sessions of the table recent_sessions that have usage, and whether their records need
care, as in sessions_of_month.sql. */ -}}
SELECT session_id, uniqExact(cityHash64(usage_id)) != count() OR countIf(mode = 'running') > 0 AS care
FROM usage
WHERE tenant = {tenant:String} AND toDate(seen_at) >= {since:Date} AND {{template "current"}}
    AND session_id IN (SELECT session_id FROM recent_sessions)
GROUP BY session_id
