INSERT INTO alerts (tenant, session_id, stream_id, alert_id, version, rule, kind, condition, span_id, span_name, position, detail, began_at, ended_at)
