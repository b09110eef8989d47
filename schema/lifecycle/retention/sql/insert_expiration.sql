INSERT INTO expirations (tenant, session_id, kind, until, expired_at, bytes, finished)
