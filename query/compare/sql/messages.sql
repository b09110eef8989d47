{{- /* The messages of one session that were seen until a time, of each the view in front: a
complete one before one that is not, then the one that saw more, then the higher version.
Texts are cut to a length; the hash is of the whole text of those that are. */ -}}
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
    PREWHERE {{template "in_found_sessions" .}}
    {{- if .Until}}
    WHERE seen_at <= fromUnixTimestamp64Nano({until:Int64}, 'UTC')
    {{- end}}) AS messages
GROUP BY message_id
ORDER BY started_ns, seen_ns, stream_id, seen_seq, message_id
LIMIT {limit:UInt64}
