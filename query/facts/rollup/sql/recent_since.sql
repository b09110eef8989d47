{{- /* A day before which the sessions of the table recent_sessions have no usage. */ -}}
SELECT toString(toDate(toDateTime(greatest(toUnixTimestamp64Second(min(first_at)), 86400), 'UTC')) - 1) AS since FROM streams
WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM recent_sessions)
