-- Views for dashboards count sessions of the recent batch: docs/adr/0018-settled-usage.md.

-- The batches of the last settlement. recent is true for the batch of sessions that changed since the
-- batches of their months were written.
CREATE OR REPLACE VIEW reports_batches AS
SELECT JSONExtractString(item, 'id') AS usage_batch, JSONExtractString(item, 'costs') AS cost_batch,
    JSONExtractUInt(item, 'month') = 0 AS recent
FROM (
    SELECT arrayJoin(arrayFilter(batch -> startsWith(batch, '{'),
        arrayPushBack(JSONExtractArrayRaw(last, 'batches'), JSONExtractRaw(last, 'recent')))) AS item
    FROM (SELECT argMax(content, id) AS last FROM settlements));

-- The sessions that do not count in the batches of months: those that the recent batch has (made), and
-- those that count in no batch.
CREATE OR REPLACE VIEW reports_pending AS
SELECT numbered.1.1 AS tenant, numbered.1.2 AS session_id, numbered.2 <= first AS made
FROM (
    SELECT JSONExtractUInt(last.1, 'made') AS first, arrayJoin(arrayZip(last.2, arrayEnumerate(last.2))) AS numbered
    FROM (SELECT argMax((content, pending), id) AS last FROM settlements));

-- Usage records as usage reports count them, up to some seconds ago. calls is 1, and 0 for usage that
-- is of no call.
CREATE OR REPLACE VIEW reports_usage AS
SELECT
    tenant, session_id, stream_id, at, provider, model, agent, dialect, service_tier, region,
    if(rest, 0, 1) AS calls,
    settled_usage.input AS input, settled_usage.cache_read AS cache_read,
    settled_usage.cache_write_5m + settled_usage.cache_write_1h AS cache_write,
    settled_usage.output AS output, settled_usage.reasoning AS reasoning,
    settled_usage.input + settled_usage.cache_read + settled_usage.cache_write_5m + settled_usage.cache_write_1h
        + settled_usage.output + settled_usage.reasoning AS tokens,
    web_searches, code_executions,
    arrayMap((k, v) -> concat(k, '=', v), mapKeys(settled_usage.tags)::Array(String), mapValues(settled_usage.tags)) AS tags
FROM settled_usage
WHERE batch IN (SELECT usage_batch FROM reports_batches)
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending WHERE NOT made)
    AND (batch IN (SELECT usage_batch FROM reports_batches WHERE recent)
        OR (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending WHERE made))
    AND ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept));

-- What sessions cost by the current price table, up to some seconds ago, as far as it is known.
CREATE OR REPLACE VIEW reports_costs AS
SELECT
    tenant, session_id,
    fromUnixTimestamp64Nano(started_ns, 'UTC') AS started_at,
    cost,
    ifNull((SELECT if(stated = '', 'USD', stated) FROM (
        SELECT JSONExtractString(argMax(text, imported_at), 'operator', 'currency') AS stated FROM price_tables)), 'USD') AS currency
FROM settled_costs
WHERE batch IN (SELECT cost_batch FROM reports_batches)
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending WHERE NOT made)
    AND (batch IN (SELECT cost_batch FROM reports_batches WHERE recent)
        OR (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending WHERE made))
    AND ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept));

-- What calls cost by the current price table, up to some seconds ago: docs/operate/grafana.md.
CREATE OR REPLACE VIEW reports_model_costs AS
SELECT
    tenant, session_id, stream_id, at, provider, model, calls, cost, unpriced_calls, unpriced_tokens,
    ifNull((SELECT if(stated = '', 'USD', stated) FROM (
        SELECT JSONExtractString(argMax(text, imported_at), 'operator', 'currency') AS stated FROM price_tables)), 'USD') AS currency,
    arrayMap((k, v) -> concat(k, '=', v), mapKeys(settled_model_costs.tags)::Array(String), mapValues(settled_model_costs.tags)) AS tags
FROM settled_model_costs
WHERE batch IN (SELECT cost_batch FROM reports_batches)
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending WHERE NOT made)
    AND (batch IN (SELECT cost_batch FROM reports_batches WHERE recent)
        OR (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending WHERE made))
    AND ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept));
