{{- /* Sessions with a stream that has not ended, those first in which a frame came
last. A row of a stream that says nothing of its end may be an old one, so what it
finds is looked at whole. */ -}}
SELECT session_id, started_ns, last_ns, live, lost
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
        max(stream_last_ns) AS last_ns,
        countIf(stream_ended = 0 AND {{template "alive" "stream_last_ns"}}) > 0 AS live,
        countIf(stream_ended = 0) > 0 AND NOT live AS lost
    FROM (
        SELECT
            session_id, stream_id,
            min(first_at) AS stream_first,
            toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS stream_last_ns,
            toUnixTimestamp64Nano(argMax(ended, first_seq)) AS stream_ended,
            argMax(recorder, first_seq) AS stream_recorder
        FROM streams FINAL
        PREWHERE tenant = {tenant:String} AND {{template "current"}}
            AND session_id IN (SELECT session_id FROM streams WHERE tenant = {tenant:String} AND toUnixTimestamp64Nano(ended) = 0)
        GROUP BY session_id, stream_id)
    GROUP BY session_id)
WHERE live OR lost
ORDER BY last_ns DESC, session_id
LIMIT {limit:UInt64}
