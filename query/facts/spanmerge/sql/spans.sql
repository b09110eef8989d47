{{- /* The spans of one session: every stream's view of each. With a limit, those of the first
spans. */ -}}
{{define "span_columns"}}
    span_id, stream_id, toUnixTimestamp64Nano(seen_at) AS seen_ns, seen_seq, version,
    kind, parent_id, name, status,
    toUnixTimestamp64Nano(started) AS started_ns,
    toUnixTimestamp64Nano(ended) AS ended_ns,
    toUnixTimestamp64Nano(first_token) AS first_token_ns,
    duration_ns, run_id, node_id, agent, call_id, model, provider, error, attributes
{{- end -}}
SELECT {{- template "span_columns"}}
FROM spans FINAL
PREWHERE {{template "in_found_sessions" .}}
{{- if .Limit}}
WHERE span_id IN (
    SELECT span_id FROM spans
    PREWHERE {{template "in_found_sessions" .}}
    GROUP BY span_id ORDER BY min(seen_at), span_id LIMIT {limit:UInt64})
{{- end}}
