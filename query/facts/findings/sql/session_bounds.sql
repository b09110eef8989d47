{{- /* From when to when some sessions last, the first of them first. */ -}}
SELECT session_id,
    toUnixTimestamp64Nano(min(first_at)) AS first_ns,
    toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns
FROM streams
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND {{template "current_of_sessions"}}
GROUP BY session_id
ORDER BY first_ns, session_id
