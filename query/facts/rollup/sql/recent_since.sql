{{- /* A day before which the sessions of the table recent_sessions have no usage. A session whose
streams are not stored yet may have usage of any day. */ -}}
SELECT toString(if(uniqExact(session_id) < {sessions:UInt64}, toDate(0),
    toDate(toDateTime(greatest(toUnixTimestamp64Second(min(first_at)), 86400), 'UTC')) - 1)) AS since
FROM streams
WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM recent_sessions)
