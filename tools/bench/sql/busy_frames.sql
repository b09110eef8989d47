SELECT uniqExact(session_id, stream_id, seq) FROM frames WHERE tenant = 'default' AND startsWith(session_id, 'busy-')
