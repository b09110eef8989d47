SELECT
    dialect,
    tag_value,
    argMax(stated, (stated_ns, session_id, stream_id)) AS latest,
    argMax(session_id, (stated_ns, session_id, stream_id)) AS latest_session
FROM (
    SELECT
        session_id, stream_id, dialect,
        tags[{tag:String}] AS tag_value,
        arrayJoin(JSONExtractArrayRaw(limits)) AS stated,
        JSONExtractString(stated, 'name') AS limit_name,
        JSONExtractString(stated, 'plan') AS limit_plan,
        JSONExtractInt(stated, 'at') AS stated_ns
    FROM streams FINAL
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
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String}))))
    WHERE limits != '' AND length(limits) <= 65536
        AND toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {from:Int64} AND toUnixTimestamp64Nano(first_at) < {to:Int64})
WHERE stated_ns >= {from:Int64} AND stated_ns < {to:Int64}
GROUP BY dialect, tag_value, limit_plan, limit_name
ORDER BY dialect, tag_value, limit_plan, limit_name
LIMIT {most:UInt64}
