-- The size and the time, ms, of all lines of sessions. octet_length does not read the text.
SELECT session_id, octet_length(event_json), created_at
FROM transcript_events
