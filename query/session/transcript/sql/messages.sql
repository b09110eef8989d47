{{- /* Some messages of one session, whole: every stream's view. */ -}}
SELECT
    message_id, stream_id, seen_seq, kind, span_id, name, text, media, run_id, node_id, agent, attributes,
    {{if .Chunks}}chunk_at, chunk_end{{else}}[]::Array(Int64) AS chunk_at, []::Array(UInt32) AS chunk_end{{end}}
FROM messages FINAL
PREWHERE {{template "in_found_sessions" .}}
    AND message_id IN {messages:Array(String)}
