-- The parts of all messages of a session, in the order that they have within their message.
SELECT id, message_id
FROM part
WHERE session_id = ?1
ORDER BY id
