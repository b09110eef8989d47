SELECT
    message_id, max(grown).4 AS stream_id, max(grown).5 AS seen_seq,
    argMax(toUnixTimestamp64Nano(seen_at), grown) AS seen_ns,
    argMax(kind, grown) AS message_kind, argMax(messages.span_id, grown) AS of_span, argMax(name, grown) AS tool,
    argMax(messages.node_id, grown) AS of_node, argMax(messages.run_id, grown) AS of_run, argMax(messages.agent, grown) AS of_agent,
    argMax(media, grown) AS text_media, argMax(left(text, {cap:UInt64}), grown) AS head, argMax(length(text), grown) AS size,
    argMax(if(length(text) > {cap:UInt64}, lower(hex(SHA256(text))), ''), grown) AS digest,
    argMax(toUnixTimestamp64Nano(started), grown) AS started_ns, argMax(toUnixTimestamp64Nano(ended), grown) AS ended_ns
FROM (
    SELECT *, (complete, length(text), version, stream_id, seen_seq) AS grown
    FROM messages FINAL
    PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0
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
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}))))
    WHERE seen_at <= fromUnixTimestamp64Nano({until:Int64}, 'UTC')) AS messages
GROUP BY message_id
ORDER BY started_ns, seen_ns, stream_id, seen_seq, message_id
LIMIT {limit:UInt64}
