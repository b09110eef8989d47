-- The records of the batches of settled_usage in the order of time, with all that a charge shows: a list
-- of charges is one plain read of this table (docs/adr/0018-settled-usage.md). tags are what a charge
-- shows; cell_tags, on which its price depends, are those under which settled_usage counts.
CREATE TABLE IF NOT EXISTS settled_charges
(
    batch            LowCardinality(String),
    tenant           LowCardinality(String),
    session_id       String CODEC(ZSTD(1)),
    stream_id        String CODEC(ZSTD(1)),
    usage_id         String CODEC(ZSTD(1)),
    at               DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    version          UInt64 CODEC(ZSTD(1)),
    scope            String CODEC(ZSTD(1)),
    mode             LowCardinality(String),
    span_id          String CODEC(ZSTD(1)),
    run_id           String CODEC(ZSTD(1)),
    node_id          String CODEC(ZSTD(1)),
    agent            LowCardinality(String),
    dialect          LowCardinality(String),
    provider         LowCardinality(String),
    model            LowCardinality(String),
    requested_model  LowCardinality(String),
    service_tier     LowCardinality(String),
    speed            LowCardinality(String),
    region           LowCardinality(String),
    request_id       String CODEC(ZSTD(1)),
    message_id       String CODEC(ZSTD(1)),
    stated           UInt64,
    mismatch         Bool,
    stated_cost      String,
    stated_currency  LowCardinality(String),
    input            Int64,
    cache_read       Int64,
    cache_write_5m   Int64,
    cache_write_1h   Int64,
    output           Int64,
    reasoning        Int64,
    input_audio      Int64,
    input_image      Int64,
    input_video      Int64,
    cache_read_audio Int64,
    cache_read_image Int64,
    cache_read_video Int64,
    output_audio     Int64,
    output_image     Int64,
    output_video     Int64,
    web_searches     Int64,
    code_executions  Int64,
    web_fetches      Int64,
    tags             Map(LowCardinality(String), String),
    cell_tags        Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, at, session_id, usage_id)
SETTINGS index_granularity = 1024;
