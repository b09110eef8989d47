-- The calls of models of a session, with their tokens.
SELECT id, created_timestamp, model, input_tokens, output_tokens, total_tokens, cache_read_tokens, cache_write_tokens
FROM usage_ledger
WHERE session_id = ?1
ORDER BY id
