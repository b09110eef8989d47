CREATE TABLE lines
(
    session_id String CODEC(ZSTD(1)),
    node_id    String CODEC(ZSTD(1)),
    event_id   UInt64 CODEC(ZSTD(1)),
    type       LowCardinality(String) CODEC(ZSTD(1)),
    raw        String CODEC(ZSTD(3))
)
ENGINE = MergeTree ORDER BY (session_id, event_id)
