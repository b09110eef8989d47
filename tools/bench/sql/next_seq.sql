SELECT if(count() = 0, 0, max(seq) + 1) FROM frames WHERE tenant = 'default' AND session_id = ?
