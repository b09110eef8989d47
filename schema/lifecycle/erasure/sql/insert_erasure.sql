INSERT INTO erasures (tenant, id, version, state, requested_at, record)
