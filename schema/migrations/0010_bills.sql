-- Bills that are closed. bill is the whole of it as JSON; the other columns are for questions.
-- A row that is inserted again is the same.
CREATE TABLE IF NOT EXISTS bills
(
    tenant       LowCardinality(String),
    account      String,
    period       String,
    number       String,
    prefix       String,
    sequence     UInt64,
    attempt      String,
    period_start DateTime64(9, 'UTC'),
    period_end   DateTime64(9, 'UTC'),
    closed_at    DateTime64(9, 'UTC'),
    currency     LowCardinality(String),
    prices_hash  String,
    rows_hash    String,
    total        String,
    bill         String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant, account, period);

-- What bills are made of: one unit of one charge, under the attempt to close that stored it.
-- Rows of an attempt that no bill names are not read, and are removed by a later close.
-- Quantities, prices and costs are decimal numbers; '' is null.
CREATE TABLE IF NOT EXISTS bill_rows
(
    tenant           LowCardinality(String),
    account          String CODEC(ZSTD(1)),
    period           LowCardinality(String),
    attempt          String CODEC(ZSTD(1)),
    ordinal          UInt64 CODEC(Delta(8), ZSTD(1)),
    class            LowCardinality(String),
    charge_period    LowCardinality(String),
    charge_start     DateTime64(9, 'UTC') CODEC(ZSTD(1)),
    charge_end       DateTime64(9, 'UTC') CODEC(ZSTD(1)),
    charge_id        String CODEC(ZSTD(1)),
    at               DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    session_id       String CODEC(ZSTD(1)),
    stream_id        String CODEC(ZSTD(1)),
    position         String CODEC(ZSTD(1)),
    provider         LowCardinality(String),
    model            LowCardinality(String),
    service_tier     LowCardinality(String),
    speed            LowCardinality(String),
    region           LowCardinality(String),
    tags             Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    unit             LowCardinality(String),
    quantity         String CODEC(ZSTD(1)),
    per              Int64 CODEC(ZSTD(1)),
    list_price       LowCardinality(String),
    contracted_price LowCardinality(String),
    price            LowCardinality(String),
    list_cost        String CODEC(ZSTD(1)),
    contracted_cost  String CODEC(ZSTD(1)),
    billed_cost      String CODEC(ZSTD(1)),
    prices_hash      LowCardinality(String),
    rules            Array(LowCardinality(String)),
    reason           LowCardinality(String),
    note             LowCardinality(String),
    INDEX charge_bloom charge_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (tenant, attempt, ordinal);
