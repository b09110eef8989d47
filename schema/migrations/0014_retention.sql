-- How long each kind of recorded data is kept, for each tenant: the row that was set last
-- stands. 0 is no limit.
CREATE TABLE IF NOT EXISTS retention_policies
(
    tenant    LowCardinality(String),
    kind      LowCardinality(String),
    max_age_s UInt64,
    max_bytes UInt64,
    set_at    DateTime64(9, 'UTC'),
    set_by    String
)
ENGINE = ReplacingMergeTree(set_at)
ORDER BY (tenant, kind);

-- What has expired: one kind of data of a session's streams up to an id. A row is never
-- changed but for finished, which is 1 once the data is deleted.
CREATE TABLE IF NOT EXISTS expirations
(
    tenant     LowCardinality(String),
    session_id String,
    kind       LowCardinality(String),
    until      String,
    expired_at DateTime64(9, 'UTC'),
    bytes      UInt64,
    finished   UInt8
)
ENGINE = ReplacingMergeTree(finished)
ORDER BY (tenant, session_id, kind, until);
