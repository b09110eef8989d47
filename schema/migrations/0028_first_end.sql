-- Calls of tools and models, put together as in query/sql/merged_spans.sql: of streams with the same
-- frames the one that saw the end first.
CREATE OR REPLACE VIEW reports_spans AS
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
            + bitShiftLeft(toUInt256(if((kind = 'tool' OR position(span_id, ':event:') > 0) AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
    FROM spans FINAL
    PREWHERE ((tenant, session_id) NOT IN (SELECT tenant, session_id FROM tombstones)
            OR (tenant, session_id, stream_id) IN (SELECT tenant, session_id, stream_id FROM reports_kept))
        AND (generation = 0) != ((tenant, session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0)
            IN (SELECT tenant, session_id, stream_id, mark, original FROM reports_generations))
    WHERE kind IN ('tool', 'llm'))
GROUP BY tenant, session_id, span_id;
