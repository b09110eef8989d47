{{- /* Expirations whose data may still be stored. */ -}}
SELECT tenant, session_id, kind, until, expired_at, bytes FROM expirations FINAL WHERE finished = 0
ORDER BY tenant, kind, session_id LIMIT {limit:UInt64}
