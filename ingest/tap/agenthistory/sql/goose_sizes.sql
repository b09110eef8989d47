-- The size of all messages. octet_length does not read the text.
SELECT session_id, octet_length(content_json), created_timestamp
FROM messages
