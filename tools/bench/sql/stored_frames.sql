SELECT count(), sum(length(raw)), uniqExact(session_id) FROM frames WHERE tenant = 'default' AND toString(transport) = ?
