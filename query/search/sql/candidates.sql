{{- /* Rows of facts that may have what is searched for, newest first. A row counts in every
version that is stored of it: "hits" reads what stands. */ -}}
{{- define "place"}}seen_at DESC, stream_id DESC, seen_seq DESC, session_id DESC, fact_id DESC{{end}}
{{- define "searched"}}
    {{- if or .Terms .Prefixes}}
    PREWHERE 1
    {{- if .Terms}}
      AND hasAllTokens(terms, {terms:Array(String)})
    {{- end}}
    {{- range .Prefixes}}
      AND hasAnyTokens(terms, { {{- .}}:Array(String)})
    {{- end}}
    {{- end}}
    WHERE tenant = {tenant:String}
      AND seen_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC'))
    {{- if .Until}}
      AND seen_at <= fromUnixTimestamp64Nano({until:Int64}, 'UTC') AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano({until:Int64}, 'UTC'))
      AND (seen_at, stream_id, seen_seq, session_id, fact_id)
        < (fromUnixTimestamp64Nano({until:Int64}, 'UTC'), {after_stream:String}, {after_seq:UInt64}, {after_session:String}, {after_fact:String})
    {{- end}}
    {{- range .Beginnings}}
      AND match(terms, { {{- .}}:String})
    {{- end}}
    {{- if .Sessions}}
      AND session_id IN {of_sessions:Array(String)}
    {{- end}}
    {{- if .Tools}}
      AND name IN {tools:Array(String)}
    {{- end}}
    {{- if .Agents}}
      AND agent IN {agents:Array(String)}
    {{- end}}
      AND {{template "current"}}
{{- end}}
SELECT of_span, session_id, stream_id, fact_id, toUnixTimestamp64Nano(seen_at) AS seen_ns, seen_seq
FROM (
{{- if .Messages}}
    SELECT false AS of_span, session_id, stream_id, message_id AS fact_id, seen_at, seen_seq
    FROM messages
    {{- template "searched" .}}
    {{- range .Literals}}
      AND position(text, { {{- .}}:String}) > 0
    {{- end}}
    {{- if .Kinds}}
      AND kind IN {kinds:Array(String)}
    {{- end}}
    ORDER BY {{template "place"}}
    LIMIT {rows:UInt64}
{{- end}}
{{- if and .Messages .Errors}}
    UNION ALL
{{- end}}
{{- if .Errors}}
    SELECT true AS of_span, session_id, stream_id, span_id AS fact_id, seen_at, seen_seq
    FROM spans
    {{- template "searched" .}}
      AND error != ''
    {{- range .Literals}}
      AND position(error, { {{- .}}:String}) > 0
    {{- end}}
    {{- if .Tools}}
      AND kind = 'tool'
    {{- end}}
    ORDER BY {{template "place"}}
    LIMIT {rows:UInt64}
{{- end}})
ORDER BY {{template "place"}}
LIMIT {rows:UInt64}
