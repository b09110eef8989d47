{{- /* Expirations whose data may still be stored. An expiration of the same streams that finished earlier does not count: it
has another time. */ -}}
SELECT tenant, session_id, kind, until, expired_at, max(bytes) AS bytes FROM expirations
GROUP BY tenant, session_id, kind, until, expired_at HAVING max(finished) = 0
ORDER BY tenant, kind, session_id, expired_at LIMIT {limit:UInt64}
