INSERT INTO schema_steps (version, step, event, generation, checksum, oldest, text, program, holder) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
