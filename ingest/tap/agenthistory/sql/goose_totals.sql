-- The tokens of a session so far. Goose before its ledger keeps no others.
SELECT coalesce(CAST(strftime('%s', updated_at) AS INTEGER), 0), model_config_json, provider_name, accumulated_input_tokens, accumulated_output_tokens, accumulated_total_tokens
FROM sessions
WHERE id = ?1
LIMIT 1
