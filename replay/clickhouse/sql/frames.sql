{{- /* A page of frames: of one stream from a bound on, or all frames of several streams.
A stream's month is its partition. Repeats are dropped by the reader. */ -}}
SELECT {{if .Bundle}}toLowCardinality(stream_id), {{end -}}
seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw
{{- if not .Bare}}, type, source_session, run_id, node_id, agent, event_id, generation{{end}}
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id {{if .Bundle}}IN {streams:Array(String)}{{else}}= {stream:String}{{end}}
  AND toYYYYMM(stream_started) IN ({{.Months}})
{{- if .At}}
  AND captured_at >= fromUnixTimestamp64Nano({{.At}}, 'UTC')
{{- else if not .Bundle}}
  AND seq >= {{.From}}{{if .Dense}} AND seq < {{.To}}{{end}}
{{- end}}
{{- if .Types}}
  AND type IN {types:Array(String)}
{{- end}}
{{- if .Agents}}
  AND agent IN {agents:Array(String)}
{{- end}}
{{- if .Directions}}
  AND direction IN ({{.Directions}})
{{- end}}
{{- if .Bytes}}
  AND (bitAnd(flags, {{.Note}}) = 0 OR transport NOT IN ('http', 'websocket'))
{{- end}}
{{- if .Limit}}
ORDER BY seq
LIMIT {{.Limit}}
{{- end}}
