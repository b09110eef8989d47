-- Calls of tools as GET /v1/tools counts them: one row each, whatever stored it how often
-- (docs/adr/0018-settled-usage.md). A batch has the sessions of the batch of settled_usage with the same
-- id, with usage or without. at and seq are those of the first frame of a call, in its stream.
-- reported_ns is the time that the source measured. latest_ns is 0, or, for a call without an end, the
-- latest time until which it can have lasted: when it was cut off, or else when its stream or session or
-- the run directly around it ended.
CREATE TABLE IF NOT EXISTS settled_tools
(
    batch       LowCardinality(String),
    tenant      LowCardinality(String),
    session_id  String CODEC(ZSTD(1)),
    stream_id   String CODEC(ZSTD(1)),
    at          DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    seq         UInt64 CODEC(T64, ZSTD(1)),
    span_id     String CODEC(ZSTD(1)),
    run_id      String CODEC(ZSTD(1)),
    node_id     String CODEC(ZSTD(1)),
    tool        LowCardinality(String),
    agent       LowCardinality(String),
    status      LowCardinality(String),
    started_ns  Int64 CODEC(Delta(8), ZSTD(1)),
    ended_ns    Int64 CODEC(Delta(8), ZSTD(1)),
    reported_ns Int64 CODEC(T64, ZSTD(1)),
    latest_ns   Int64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, toDate(at), session_id)
SETTINGS index_granularity = 1024;
