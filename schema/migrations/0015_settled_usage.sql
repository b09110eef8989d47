-- Which insert stored a row: a settlement (docs/adr/0018-settled-usage.md) records up to which
-- insert of each table it holds, and what came later is read as it was before.
ALTER TABLE usage MODIFY SETTING enable_block_number_column = 1;

ALTER TABLE streams MODIFY SETTING enable_block_number_column = 1;

ALTER TABLE redecodes MODIFY SETTING enable_block_number_column = 1;

ALTER TABLE tombstones MODIFY SETTING enable_block_number_column = 1;

ALTER TABLE restores MODIFY SETTING enable_block_number_column = 1;

ALTER TABLE expirations MODIFY SETTING enable_block_number_column = 1;

-- Usage records as reports count them: one row each, whatever stored it how often, with what it
-- adds and the tags it counts under. A batch holds the sessions whose usage began in one month.
-- Rows of a batch that the last settlement does not name are not read. class is a hash of all
-- that a price depends on but for the number of tokens, the time and the tags.
CREATE TABLE IF NOT EXISTS settled_usage
(
    batch            LowCardinality(String),
    tenant           LowCardinality(String),
    session_id       String CODEC(ZSTD(1)),
    stream_id        String CODEC(ZSTD(1)),
    at               DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    rest             Bool,
    span_id          String CODEC(ZSTD(1)),
    run_id           String CODEC(ZSTD(1)),
    node_id          String CODEC(ZSTD(1)),
    agent            LowCardinality(String),
    dialect          LowCardinality(String),
    class            FixedString(16),
    provider         LowCardinality(String),
    model            LowCardinality(String),
    service_tier     LowCardinality(String),
    speed            LowCardinality(String),
    region           LowCardinality(String),
    valid            Bool,
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
    tags             Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, toDate(at), session_id)
SETTINGS index_granularity = 1024;

-- What the sessions of a batch of settled_usage cost by one price table, those whose cost is
-- known in part at least, and when they began and last had a frame. stream_id is the first of
-- the streams: with it the row is deleted.
CREATE TABLE IF NOT EXISTS settled_costs
(
    batch      LowCardinality(String),
    tenant     LowCardinality(String),
    session_id String,
    stream_id  String,
    started_ns Int64,
    last_ns    Int64,
    cost       Decimal(76, 30)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, session_id)
SETTINGS index_granularity = 1024;

-- What the list of sessions shows of the sessions of a batch of settled_usage whose streams have
-- ended, but for their usage. A page of the list may have sessions from anywhere, so granules are
-- small.
CREATE TABLE IF NOT EXISTS settled_sessions
(
    batch          LowCardinality(String),
    tenant         LowCardinality(String),
    session_id     String,
    stream_id      String,
    started_ns     Int64,
    last_ns        Int64,
    end_ns         Int64,
    last_ended_ns  Int64,
    last_reason    LowCardinality(String),
    streams        UInt64,
    frames         UInt64,
    bytes          UInt64,
    cut            Bool,
    title          String CODEC(ZSTD(1)),
    dialects       Array(LowCardinality(String)),
    tag_keys       Array(LowCardinality(String)),
    tag_values     Array(String) CODEC(ZSTD(1)),
    runs           UInt64,
    open_runs      UInt64,
    unclosed_runs  UInt64,
    failed_runs    UInt64,
    cancelled_runs UInt64,
    last_run       LowCardinality(String),
    tool_calls     UInt64,
    tool_errors    UInt64,
    unclosed_spans UInt64,
    open_spans     UInt64,
    agents         Array(LowCardinality(String)),
    models         Array(LowCardinality(String))
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, session_id)
SETTINGS index_granularity = 256;

-- The last settlement counts: which batches hold settled usage (content, JSON), and which
-- sessions of them are not settled. id is its time, ns since 1970.
CREATE TABLE IF NOT EXISTS settlements
(
    name    LowCardinality(String),
    id      UInt64,
    content String CODEC(ZSTD(3)),
    pending Array(Tuple(String, String))
)
ENGINE = ReplacingMergeTree(id)
ORDER BY name;
