WITH
    arrayFilter(m -> m.1 NOT IN ('messages', 'contents', 'input', 'prompt', 'metadata', 'user', 'tools', 'stream', 'stream_options'),
        JSONExtractKeysAndValuesRaw(raw)) AS members,
    JSONExtractArrayRaw(raw, 'tools') AS tools
SELECT
    stream_id, seq,
    arrayMap(m -> m.1, members) AS names,
    arrayMap(m -> if(match(m.2, '^(-?[0-9.eE+-]{1,24}|true|false|null|"[A-Za-z0-9_.:/-]{1,64}")$'), m.2, ''), members) AS plain,
    arrayMap(m -> lower(hex(sipHash128(m.2))), members) AS digests,
    arrayMap(t -> multiIf(JSONExtractString(t, 'name') != '', JSONExtractString(t, 'name'),
        JSONExtractString(t, 'function', 'name') != '', JSONExtractString(t, 'function', 'name'),
        JSONExtractString(t, 'type')), tools) AS tool_names,
    arrayMap(t -> lower(hex(sipHash128(t))), tools) AS tool_digests
FROM (
    SELECT stream_id, seq, captured_at, raw, generation FROM frames
    WHERE tenant = {tenant:String} AND session_id = {session:String}
  AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} AND session_id = {session:String} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String} AND session_id = {session:String}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted)) AND type = 'request'
    ORDER BY captured_at, stream_id, seq, generation DESC
    LIMIT 1 BY stream_id, seq
    LIMIT {limit:UInt64})
ORDER BY captured_at, stream_id, seq
