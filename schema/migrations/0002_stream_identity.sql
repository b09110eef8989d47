-- Which process records a stream, the SHA-256 of the bytes of a file or an upload
-- (hexadecimal), and the idempotency key of the request that opened the stream. Each
-- is empty where it does not apply or was recorded before these columns.
ALTER TABLE streams ADD COLUMN IF NOT EXISTS recorder String AFTER end_reason;
ALTER TABLE streams ADD COLUMN IF NOT EXISTS digest String AFTER recorder;
ALTER TABLE streams ADD COLUMN IF NOT EXISTS ingest_key String AFTER digest;
ALTER TABLE streams ADD INDEX IF NOT EXISTS digest_bloom digest TYPE bloom_filter GRANULARITY 1;
ALTER TABLE streams ADD INDEX IF NOT EXISTS ingest_key_bloom ingest_key TYPE bloom_filter GRANULARITY 1;
