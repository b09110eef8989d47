{{- /* The migrations that were applied. Programs of all versions read it. */ -}}
CREATE TABLE IF NOT EXISTS schema_migrations
(version UInt32, name String, checksum String, applied DateTime64(3, 'UTC') DEFAULT now64(3))
ENGINE = ReplacingMergeTree ORDER BY version
