SELECT count() FROM lines WHERE session_id != ''
