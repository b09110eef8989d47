-- Who did what on a server. Rows are only inserted, and expire; the server sets the time
-- (tapedeck serve --audit-retention). ended is 1 for the row with the outcome of a change, which
-- replaces the one that was stored before the change began.
CREATE TABLE IF NOT EXISTS audit_log
(
    tenant         LowCardinality(String),
    at             DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    id             String CODEC(ZSTD(1)),
    ended          UInt8,
    principal_kind LowCardinality(String),
    principal_id   String CODEC(ZSTD(1)),
    principal_name String CODEC(ZSTD(1)),
    remote         String CODEC(ZSTD(1)),
    action         LowCardinality(String),
    kind           LowCardinality(String),
    object         String CODEC(ZSTD(1)),
    detail         String CODEC(ZSTD(1)),
    outcome        LowCardinality(String),
    status         UInt16,
    request_id     String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(ended)
PARTITION BY toYYYYMM(at)
ORDER BY (at, id)
TTL toDateTime(at) + toIntervalDay(400);
