{{- /* The frames of one window, in order of their positions, repeats dropped. */ -}}
SELECT
    stream_id, seq, toUnixTimestamp64Nano(captured_at) AS at_ns, toString(transport) AS transport_name, raw,
    toString(direction) AS direction_name
    {{- if not .Raw}}, flags, type, source_session, run_id, node_id, agent, event_id{{end}}
FROM frames
WHERE {{template "session_frames" .}}
  AND captured_at <= fromUnixTimestamp64Nano({until_at:Int64}, 'UTC')
  {{- if .After}}
  AND captured_at >= fromUnixTimestamp64Nano({after_at:Int64}, 'UTC')
  AND (captured_at, stream_id, seq) > (fromUnixTimestamp64Nano({after_at:Int64}, 'UTC'), {after_stream:String}, {after_seq:UInt64})
  {{- end}}
ORDER BY captured_at, stream_id, seq, generation DESC
LIMIT 1 BY stream_id, seq
LIMIT {limit:UInt64}
