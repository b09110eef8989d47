{{- /* Single calls of models, in an order. */ -}}
SELECT session_id, span_id, call_model, call_provider, call_agent, call_status, run_id, outcome, stop_reason, call_error, http_status,
    started_ns, ended_ns, seen_ns, first_stream, first_frame,
    has_first_token, first_token_took, has_duration, took_ns, output_tokens, all_tokens, has_rate, rate,
    chunks, streamed, stalls, longest_ns, retry,
    arrayReduce('quantilesExactInclusive(0.5, 0.99)', gaps) AS gap_quantiles,
    longest_from_ns
FROM ({{template "model_calls" .}})
{{- if .Having}}
WHERE {{.Having}}
{{- end}}
ORDER BY {{.Order}}, session_id, span_id
LIMIT {listed:UInt64}
