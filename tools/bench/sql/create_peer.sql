CREATE TABLE peer (session_id String, node_id String, event_id String, type LowCardinality(String), payload String CODEC(ZSTD))
ENGINE = MergeTree ORDER BY (session_id, event_id)
