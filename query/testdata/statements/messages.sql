SELECT
    message_id, stream_id, seen_seq, kind, span_id, name, text, media, run_id, node_id, agent, attributes,
    chunk_at, chunk_end
FROM messages FINAL
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}))
    AND message_id IN {messages:Array(String)}
