{{- /* The frames of some sessions with marks that put the usage in them in doubt. A frame may
be stored several times. */ -}}
SELECT
    session_id,
    uniqExactIf((stream_id, seq), bitAnd(flags, {too_deep:UInt32}) != 0) AS too_deep,
    uniqExactIf((stream_id, seq), bitAnd(flags, {bad_checksum:UInt32}) != 0) AS bad_checksum,
    uniqExactIf((stream_id, seq), bitAnd(flags, {unread_usage:UInt32}) != 0) AS unread_usage
FROM frames
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
    AND bitAnd(flags, bitOr(bitOr({too_deep:UInt32}, {bad_checksum:UInt32}), {unread_usage:UInt32})) != 0
WHERE {{template "visible_among" " AND session_id IN {sessions:Array(String)}"}}
GROUP BY session_id
