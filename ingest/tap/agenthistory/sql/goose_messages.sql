-- The messages of a session in order, their content null if it has more than ?2 bytes.
SELECT id, role, created_timestamp, CASE WHEN octet_length(content_json) <= ?2 THEN content_json END
FROM messages
WHERE session_id = ?1
ORDER BY id
