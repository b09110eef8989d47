SELECT uniqExact(stream_id, seq) FROM frames WHERE tenant = 'default' AND session_id = ?
