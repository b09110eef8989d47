{{- /* When the frames of a session expired; the epoch if some have not. */ -}}
SELECT if(count() > 0 AND max(until) >= (SELECT max(stream_id) FROM streams WHERE tenant = {tenant:String} AND session_id = {session:String}),
    max(expired_at), toDateTime64(0, 9, 'UTC'))
FROM expirations WHERE tenant = {tenant:String} AND session_id = {session:String} AND kind = 'frames'
