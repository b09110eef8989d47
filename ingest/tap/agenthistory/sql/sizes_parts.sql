-- The size of all parts. octet_length does not read the text.
SELECT session_id, octet_length(data), time_updated
FROM part
