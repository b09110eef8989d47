INSERT INTO notes (tenant, session_id, stream_id, note_id, version, span_id, at, text, labels, thumb, author, written_at, deleted)
