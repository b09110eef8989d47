{{- /* define only: what the spans state of sessions: runs, tool calls, agents, models. */ -}}
{{define "span_counts"}}
    countIf(span_kind = 'run') AS runs,
    countIf(span_kind = 'run' AND span_status IN ('', 'open', 'waiting')) AS open_runs,
    countIf(span_kind = 'run' AND span_status = 'unclosed') AS unclosed_runs,
    countIf(span_kind = 'run' AND span_status = 'error') AS failed_runs,
    countIf(span_kind = 'run' AND span_status = 'cancelled') AS cancelled_runs,
    argMaxIf(span_status, first_seen, span_kind = 'run') AS last_run,
    countIf(span_kind = 'tool') AS tool_calls,
    countIf(span_kind = 'tool' AND span_status = 'error') AS tool_errors,
    countIf(span_status = 'unclosed') AS unclosed_spans,
    countIf(span_status IN ('', 'open', 'waiting')) AS open_spans,
    arraySort(groupUniqArrayIf(span_agent, span_agent != '')) AS agents,
    arraySort(groupUniqArrayIf(span_model, span_model != '')) AS models
{{- end}}
