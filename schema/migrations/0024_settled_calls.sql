-- Calls of models as GET /v1/calls counts them: one row each, whatever stored it how often, with
-- what it takes to print and to add them up (docs/adr/0018-settled-usage.md). A batch has the
-- sessions of the batch of settled_usage with the same id, with usage or without. at and seq are those of
-- the first frame of a call, in its stream. gaps are the times (ns) between the arrivals of its
-- chunks, spread_ns is their sum.
CREATE TABLE IF NOT EXISTS settled_calls
(
    batch           LowCardinality(String),
    tenant          LowCardinality(String),
    session_id      String CODEC(ZSTD(1)),
    stream_id       String CODEC(ZSTD(1)),
    at              DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    seq             UInt64 CODEC(T64, ZSTD(1)),
    span_id         String CODEC(ZSTD(1)),
    run_id          String CODEC(ZSTD(1)),
    model           LowCardinality(String),
    provider        LowCardinality(String),
    agent           LowCardinality(String),
    status          LowCardinality(String),
    stop_reason     LowCardinality(String),
    error           String CODEC(ZSTD(1)),
    http_status     UInt64 CODEC(T64, ZSTD(1)),
    started_ns      Int64 CODEC(Delta(8), ZSTD(1)),
    ended_ns        Int64 CODEC(Delta(8), ZSTD(1)),
    first_token_ns  Int64 CODEC(Delta(8), ZSTD(1)),
    retry           Bool,
    output_tokens   UInt64 CODEC(T64, ZSTD(1)),
    all_tokens      UInt64 CODEC(T64, ZSTD(1)),
    chunks          UInt64 CODEC(T64, ZSTD(1)),
    gaps            Array(Int64) CODEC(T64, LZ4),
    spread_ns       Int64 CODEC(T64, LZ4),
    longest_ns      Int64 CODEC(T64, LZ4),
    longest_from_ns Int64 CODEC(Delta(8), ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, toDate(at), session_id)
SETTINGS index_granularity = 1024;
