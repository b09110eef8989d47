{{- /* Sessions that are being deleted. */ -}}
SELECT DISTINCT tenant, session_id FROM tombstones FINAL WHERE finished = 0
UNION DISTINCT
SELECT DISTINCT tenant, session_id FROM expirations FINAL WHERE kind IN ('charges', 'facts', 'messages') AND finished = 0
