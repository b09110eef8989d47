{{- /* What the first recorded requests of one session ask for besides their messages: a digest of
each member, and of numbers, texts of one word and switches the value. Of tools it is a
digest for each name. */ -}}
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
    WHERE {{template "stored_frames"}} AND type = 'request'
    ORDER BY captured_at, stream_id, seq, generation DESC
    LIMIT 1 BY stream_id, seq
    LIMIT {limit:UInt64})
ORDER BY captured_at, stream_id, seq
