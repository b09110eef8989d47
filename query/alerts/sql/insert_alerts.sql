INSERT INTO alerts (tenant, session_id, stream_id, alert_id, version, rule, kind, condition, span_id, span_name, position, per, value, period, detail, began_at, ended_at)
