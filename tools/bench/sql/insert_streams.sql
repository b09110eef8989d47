INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect, first_at, last_at, frames, bytes, ended)
SELECT tenant, session_id, stream_id, min(seq), any(stream_started), 2 * (max(seq) + 1) + 1, 'ndjson', 'loom',
  min(captured_at), max(captured_at), count(), sum(length(raw)), max(captured_at)
FROM frames WHERE tenant = 'default' AND startsWith(session_id, concat({name:String}, '-')) GROUP BY tenant, session_id, stream_id
