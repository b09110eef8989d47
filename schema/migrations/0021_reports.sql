-- Views for dashboards and other programs that ask ClickHouse: docs/operate/grafana.md. They leave
-- out what was deleted and what was decoded anew, and count what several streams reported once.

-- Streams of deleted sessions that are not deleted, as in schema/sqltemplate/sql/visible.sql.
CREATE VIEW IF NOT EXISTS reports_kept AS
SELECT known.tenant AS tenant, known.session_id AS session_id, known.stream_id AS stream_id
FROM (
    SELECT tenant, session_id, stream_id, restored_at FROM restores
    UNION ALL
    SELECT tenant, session_id, stream_id, toDateTime64(0, 9, 'UTC') AS restored_at FROM streams
    WHERE (tenant, session_id) IN (SELECT tenant, session_id FROM tombstones)
) AS known
INNER JOIN (
    SELECT tenant, session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
    FROM tombstones GROUP BY tenant, session_id
) AS gone ON known.tenant = gone.tenant AND known.session_id = gone.session_id
WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted;

-- Parts of streams that were decoded anew, which do not count, and the generations that do, as in
-- schema/sqltemplate/sql/current.sql.
CREATE VIEW IF NOT EXISTS reports_generations AS
SELECT tenant, session_id, stream_id, named.1 AS mark, named.2 AS original
FROM (
    SELECT tenant, session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
    FROM redecodes FINAL);

-- The batches of the last settlement: docs/adr/0018-settled-usage.md.
CREATE VIEW IF NOT EXISTS reports_batches AS
SELECT JSONExtractString(item, 'id') AS usage_batch, JSONExtractString(item, 'costs') AS cost_batch
FROM (
    SELECT arrayJoin(JSONExtractArrayRaw(last)) AS item
    FROM (SELECT JSONExtractRaw(argMax(content, id), 'batches') AS last FROM settlements));

-- The sessions of these batches that do not count.
CREATE VIEW IF NOT EXISTS reports_pending AS
SELECT pair.1 AS tenant, pair.2 AS session_id
FROM (
    SELECT arrayJoin(last) AS pair
    FROM (SELECT argMax(pending, id) AS last FROM settlements));

CREATE VIEW IF NOT EXISTS reports_streams AS
SELECT
    tenant, session_id, stream_id,
    min(first_at) AS stream_first,
    max(greatest(first_at, last_at)) AS stream_last,
    sum(frames) AS stream_frames,
    sum(bytes) AS stream_bytes,
    argMax(ended, first_seq) AS stream_ended,
    argMax(end_reason, first_seq) AS stream_reason,
    argMinIf(title, first_seq, title != '') AS stream_title,
    argMax(dialect, first_seq) AS stream_dialect,
    argMax(tags, first_seq) AS stream_tags
FROM streams FINAL
PREWHERE ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept))
    AND (generation = 0) != ((tenant, session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0)
        IN (SELECT tenant, session_id, stream_id, mark, original FROM reports_generations))
GROUP BY tenant, session_id, stream_id;

-- Sessions. A tag is its key, "=" and its value; seconds are from the first frame to the end.
CREATE VIEW IF NOT EXISTS reports_sessions AS
SELECT
    tenant, session_id,
    min(stream_first) AS started_at,
    max(stream_last) AS last_at,
    toFloat64(toUnixTimestamp64Nano(greatest(max(stream_last), max(stream_ended))) - toUnixTimestamp64Nano(min(stream_first))) / 1e9 AS seconds,
    countIf(toUnixTimestamp64Nano(stream_ended) = 0) = 0 AS ended,
    startsWith(argMax(stream_reason, (greatest(stream_last, stream_ended), stream_last, stream_id)), 'error') AS cut,
    count() AS streams,
    sum(stream_frames) AS frames,
    sum(stream_bytes) AS bytes,
    argMinIf(stream_title, (stream_first, stream_id), stream_title != '') AS title,
    arraySort(groupUniqArrayIf(stream_dialect, stream_dialect != '')) AS dialects,
    arraySort(groupUniqArrayArray(arrayMap((k, v) -> concat(k, '=', v), mapKeys(stream_tags)::Array(String), mapValues(stream_tags)))) AS tags
FROM reports_streams
GROUP BY tenant, session_id;

-- Usage records as usage reports count them, up to some minutes ago. calls is 1, and 0 for usage
-- that is of no call.
CREATE VIEW IF NOT EXISTS reports_usage AS
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
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending)
    AND ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept));

-- What sessions cost by the current price table, up to some minutes ago, as far as it is known.
CREATE VIEW IF NOT EXISTS reports_costs AS
SELECT
    tenant, session_id,
    fromUnixTimestamp64Nano(started_ns, 'UTC') AS started_at,
    cost,
    ifNull((SELECT if(stated = '', 'USD', stated) FROM (
        SELECT JSONExtractString(argMax(text, imported_at), 'operator', 'currency') AS stated FROM price_tables)), 'USD') AS currency
FROM settled_costs
WHERE batch IN (SELECT cost_batch FROM reports_batches)
    AND (tenant, session_id) NOT IN (SELECT tenant, session_id FROM reports_pending)
    AND ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
        OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept));

-- Calls of tools and models, put together as in query/sql/merged_spans.sql.
CREATE VIEW IF NOT EXISTS reports_spans AS
SELECT
    tenant, session_id, span_id,
    min(seen_at) AS at,
    argMax(kind, rank) AS span_kind,
    argMax(status, rank) AS span_status,
    argMaxIf(name, rank, name != '') AS span_name,
    argMaxIf(agent, rank, agent != '') AS span_agent,
    argMaxIf(model, rank, model != '') AS span_model,
    argMaxIf(provider, rank, provider != '') AS span_provider,
    minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
    argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
    minIf(toUnixTimestamp64Nano(first_token), toUnixTimestamp64Nano(first_token) != 0) AS first_token_ns,
    argMaxIf(duration_ns, rank, duration_ns != 0) AS reported_ns
FROM (
    SELECT tenant, session_id, stream_id, span_id, seen_at, kind, status, name, agent, model, provider, started, ended, first_token, duration_ns,
        multiIf(status IN ('', 'open', 'waiting'), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        bitShiftLeft(toUInt256(finality), 254)
            + bitShiftLeft(toUInt256(if(kind = 'tool' AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
    FROM spans FINAL
    PREWHERE ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
            OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept))
        AND (generation = 0) != ((tenant, session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0)
            IN (SELECT tenant, session_id, stream_id, mark, original FROM reports_generations))
    WHERE kind IN ('tool', 'llm'))
GROUP BY tenant, session_id, span_id;

-- Calls of tools. at is when the session first spoke of it; seconds is null unless it ended.
CREATE VIEW IF NOT EXISTS reports_tools AS
SELECT
    tenant, session_id, span_id, at, span_name AS tool, span_agent AS agent, span_status AS status,
    if(span_status IN ('ok', 'error', 'cancelled') AND (reported_ns > 0 OR started_ns != 0 AND ended_ns != 0),
        if(reported_ns > 0, reported_ns, ended_ns - started_ns) / 1e9, NULL) AS seconds
FROM reports_spans
WHERE span_kind = 'tool';

-- Calls of models. first_token_seconds is null if no answer arrived.
CREATE VIEW IF NOT EXISTS reports_calls AS
SELECT
    tenant, session_id, span_id, at, span_model AS model, span_provider AS provider, span_agent AS agent, span_status AS status,
    if(started_ns != 0 AND first_token_ns > started_ns, (first_token_ns - started_ns) / 1e9, NULL) AS first_token_seconds,
    if(span_status IN ('ok', 'error', 'cancelled') AND started_ns != 0 AND ended_ns > started_ns, (ended_ns - started_ns) / 1e9, NULL) AS seconds
FROM reports_spans
WHERE span_kind = 'llm';
