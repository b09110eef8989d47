-- The size of all messages. octet_length does not read the text.
SELECT session_id, octet_length(data), time_updated
FROM message
