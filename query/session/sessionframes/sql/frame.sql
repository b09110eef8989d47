{{- /* One frame by its key, the newest of its repeats, with all there is of it. */ -}}
SELECT
    stream_id, seq, toUnixTimestamp64Nano(captured_at) AS at_ns, toString(transport) AS transport_name, raw,
    toString(direction) AS direction_name, flags, type, source_session, run_id, node_id, agent, event_id, cuts
FROM frames
WHERE {{template "stored_frames"}} AND stream_id = {stream:String} AND seq = {seq:UInt64}
ORDER BY generation DESC
LIMIT 1
