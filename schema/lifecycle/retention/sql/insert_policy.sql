INSERT INTO retention_policies (tenant, kind, max_age_s, max_bytes, set_at, set_by)
