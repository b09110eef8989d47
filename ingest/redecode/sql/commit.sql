INSERT INTO redecodes (tenant, session_id, stream_id, generation, parts)
