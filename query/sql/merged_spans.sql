{{- /* define only: the views of a span, one for each stream that spoke of it, put
together as query.mergeSpans does: a view that saw a real end stands over one
that was cut short, that over an open one; then the later end, but of a tool call and of
what streams with the same frames saw the earlier real one; then the later version, then the stream's id. What the view in front leaves empty is taken from
the next. All of it is packed into one number, which argMax compares fast. */ -}}
{{define "span_rank"}}
        multiIf(status IN ('', 'open', 'waiting'), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        bitShiftLeft(toUInt256(finality), 254)
            + bitShiftLeft(toUInt256(if((kind = 'tool' OR position(span_id, ':event:') > 0) AND finality = 2 AND end_ns > 0, 9223372036854775807 - end_ns, end_ns)), 192)
            + bitShiftLeft(toUInt256(version), 128)
            + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
{{- end}}
{{define "merged_columns"}}
        session_id, span_id,
        argMax(kind, rank) AS span_kind,
        argMax(status, rank) AS span_status,
        argMaxIf(name, rank, name != '') AS span_name,
        argMaxIf(agent, rank, agent != '') AS span_agent,
        argMaxIf(model, rank, model != '') AS span_model,
        minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
        argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
        argMaxIf(duration_ns, rank, duration_ns != 0) AS reported_ns,
        min(toUnixTimestamp64Nano(seen_at)) AS seen_ns,
        min((seen_at, stream_id, seen_seq)) AS first_seen
{{- end}}
{{define "merged_spans"}}
    SELECT{{template "merged_columns"}}
    FROM (SELECT *, {{template "span_rank"}}
        FROM spans FINAL
        {{.}})
    GROUP BY session_id, span_id
{{- end}}
