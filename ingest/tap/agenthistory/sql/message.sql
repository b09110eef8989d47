-- The data of a message, null if it has more than ?3 bytes.
SELECT CASE WHEN octet_length(data) <= ?3 THEN data END, id, session_id
FROM message
WHERE id = ?1 AND session_id = ?2
LIMIT 1
