SELECT
    session_id, stream_id, note_id, version, span_id, toUnixTimestamp64Nano(at) AS at_ns, text, labels, thumb, author,
    toUnixTimestamp64Nano(written_at) AS written_ns
FROM notes FINAL
PREWHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
WHERE deleted = 0 AND positionCaseInsensitiveUTF8(text, {text:String}) > 0 AND hasAny(labels, {labels:Array(String)}) AND thumb = {thumb:String} AND author = {author:String} AND written_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND written_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC') AND (written_at, note_id) < (fromUnixTimestamp64Nano({after_key:Int64}, 'UTC'), {after_id:String})
ORDER BY written_at DESC, note_id DESC
LIMIT {limit:UInt64}
