SELECT
    message_id, stream_id, seen_seq, kind, span_id, name, text, media, run_id, node_id, agent, attributes,
    chunk_at, chunk_end
FROM messages FINAL
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
    AND message_id IN {messages:Array(String)}
