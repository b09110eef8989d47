-- Erasures: each row is a state of one, and the newest version stands. record is the whole
-- as JSON; it has no value of a tag, only its salted hash.
CREATE TABLE IF NOT EXISTS erasures
(
    tenant       LowCardinality(String),
    id           String,
    version      UInt64,
    state        LowCardinality(String),
    requested_at DateTime64(9, 'UTC'),
    record       String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, id);
-- The erasure that a tombstone is of; '' for one that a sink completes. A tombstone of the
-- session '' is of the whole tenant, and covers streams of every session.
ALTER TABLE tombstones ADD COLUMN IF NOT EXISTS erasure String;
