{{- /* The facts of the new generation in one table, counted by their keys. */ -}}
SELECT stream_id, count() FROM {{.}} FINAL
WHERE tenant = {tenant:String} AND session_id = {session:String} AND generation = {generation:UInt64}
GROUP BY stream_id
