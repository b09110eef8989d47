INSERT INTO restores (tenant, session_id, stream_id, restored_at)
