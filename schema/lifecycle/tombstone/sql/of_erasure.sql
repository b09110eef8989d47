{{- /* The tombstones of an erasure, of equal ends together. */ -}}
SELECT session_id, until, streams, deleted_at FROM tombstones FINAL
WHERE tenant = {tenant:String} AND erasure = {erasure:String} ORDER BY until, session_id
