SELECT
    session_id,
    uniqExactIf((stream_id, seq), bitAnd(flags, {too_deep:UInt32}) != 0) AS too_deep,
    uniqExactIf((stream_id, seq), bitAnd(flags, {bad_checksum:UInt32}) != 0) AS bad_checksum,
    uniqExactIf((stream_id, seq), bitAnd(flags, {unread_usage:UInt32}) != 0) AS unread_usage
FROM frames
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
    AND bitAnd(flags, bitOr(bitOr({too_deep:UInt32}, {bad_checksum:UInt32}), {unread_usage:UInt32})) != 0
WHERE ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
GROUP BY session_id
