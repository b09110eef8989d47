-- What a segment's source stated last of the limits of its account, as JSON (schema.Limits); '' for nothing.
ALTER TABLE streams ADD COLUMN IF NOT EXISTS limits String CODEC(ZSTD(1)) AFTER redacted;
