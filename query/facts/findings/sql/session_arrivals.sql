{{- /* Usage that arrived more than once: under one id from several streams, with figures
that may differ, or from several frames of one stream; and under several ids for one
message of a model. */ -}}
SELECT
    session_id,
    countIf(streams > 1) AS in_streams,
    countIf(streams > 1 AND figures > 1) AS in_streams_differing,
    countIf(restated) AS in_frames,
    sum(others) AS same_message
FROM (
    SELECT
        session_id, usage_id,
        uniqExact(stream_id) AS streams,
        uniqExact((usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output, usage.reasoning)) AS figures,
        max(version > seen_seq + 1) AS restated,
        toUInt64(0) AS others
    FROM usage FINAL
    PREWHERE {{template "in_sessions"}}
    GROUP BY session_id, usage_id
    UNION ALL
    SELECT session_id, '', 0, 0, 0, toUInt64(uniqExact(usage_id) - 1)
    FROM (
        SELECT
            session_id, usage_id,
            argMax(message_id, (at, version, stream_id)) AS message,
            argMax(model, (at, version, stream_id)) AS served_by
        FROM usage FINAL
        PREWHERE {{template "in_sessions"}}
        WHERE mode != 'running' AND NOT startsWith(scope, 'rest:')
        GROUP BY session_id, usage_id)
    WHERE message != ''
    GROUP BY session_id, message, served_by)
GROUP BY session_id
