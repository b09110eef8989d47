SELECT toUnixTimestamp64Nano(captured_at) FROM frames WHERE tenant = 'default' AND session_id = ? AND stream_id = ? AND seq = ?
