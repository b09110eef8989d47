INSERT INTO tombstones (tenant, session_id, until, streams, deleted_at, finished, erasure)
