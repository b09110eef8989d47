{{- /* The recorder's rows of a session's streams, in every version that has not been
merged away, and whether something was decoded anew or deleted since. A session that was decoded
anew has rows of another generation, which are stored before it counts. The statement costs the
server half of what current_streams costs, and nearly every session is as it was recorded. */ -}}
SELECT {{template "stream_columns"}}, if(generation = 0, '', 'changed')
FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String}
{{- template "expired"}}
{{- template "deleted"}}
