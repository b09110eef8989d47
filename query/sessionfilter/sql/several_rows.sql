{{- /* Hashes of the ids of sessions that stand in several rows. A collision does no
harm: it only has two sessions grouped that need not be. */ -}}
SELECT cityHash64(session_id) AS hash FROM streams
WHERE tenant = {tenant:String} AND {{template "current"}}
GROUP BY hash
HAVING count() > 1
LIMIT {rows:UInt64}
