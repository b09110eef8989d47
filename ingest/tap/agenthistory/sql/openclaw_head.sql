-- The first line of a session, null if it has more than ?2 bytes.
SELECT CASE WHEN octet_length(event_json) <= ?2 THEN event_json END
FROM transcript_events
WHERE session_id = ?1
ORDER BY seq
LIMIT 1
