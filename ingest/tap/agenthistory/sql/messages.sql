-- The messages of a session, in order.
SELECT id
FROM message
WHERE session_id = ?1
ORDER BY time_created, id
