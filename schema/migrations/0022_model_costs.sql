-- What the calls of a batch of settled_usage cost by one price table, by quarters of an hour, in
-- which the days of all time zones begin. cost is of the calls whose price is known, if any is
-- (priced). settled_costs has the sums of sessions.
CREATE TABLE IF NOT EXISTS settled_model_costs
(
    batch           LowCardinality(String),
    tenant          LowCardinality(String),
    session_id      String CODEC(ZSTD(1)),
    stream_id       String CODEC(ZSTD(1)),
    at              DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    provider        LowCardinality(String),
    model           LowCardinality(String),
    calls           UInt64 CODEC(ZSTD(1)),
    cost            Decimal(76, 30) CODEC(ZSTD(1)),
    priced          Bool,
    unpriced_calls  UInt64 CODEC(ZSTD(1)),
    unpriced_tokens Int64 CODEC(ZSTD(1)),
    tags            Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, at, session_id)
SETTINGS index_granularity = 1024;

-- What calls cost by the current price table, up to some minutes ago: docs/operate/grafana.md.
CREATE VIEW IF NOT EXISTS reports_model_costs AS
SELECT
    tenant, session_id, stream_id, at, provider, model, calls, cost, unpriced_calls, unpriced_tokens,
    ifNull((SELECT if(stated = '', 'USD', stated) FROM (
        SELECT JSONExtractString(argMax(text, imported_at), 'operator', 'currency') AS stated FROM price_tables)), 'USD') AS currency,
    arrayMap((k, v) -> concat(k, '=', v), mapKeys(settled_model_costs.tags)::Array(String), mapValues(settled_model_costs.tags)) AS tags
FROM settled_model_costs
WHERE batch IN (SELECT cost_batch FROM reports_batches)
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending)
    AND ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept));
