SELECT count(), sum(length(raw)), uniqExact(session_id) FROM frames FINAL WHERE tenant = 'default' AND toString(transport) = ?
