INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, direction, transport, flags,
  type, source_session, run_id, node_id, agent, event_id, cuts, raw)
WITH intDiv(number, {frames:UInt64}) AS session, number % {frames:UInt64} AS n,
  concat({name:String}, '-', toString(session)) AS id,
  concat('run-', toString(intDiv(n, 1000))) AS run, concat(run, '-think-', toString(intDiv(n, 100))) AS node,
  ['message_chunk', 'message_chunk', 'message_chunk', 'message_chunk', 'usage'][n % 5 + 1] AS kind
SELECT 'default', id, concat('0196b3a0-0000-7000-8000-', leftPad(toString(session), 12, '0')), n, toDateTime({from:Int64}, 'UTC'),
  fromUnixTimestamp64Nano(toInt64({from:Int64} * 1000000000 + n * {gap:Int64} + if(n = 0, 0, cityHash64(number) % {spread:Int64})), 'UTC'),
  'receive', 'ndjson', 0, kind, id, run, node, 'react', toString(n + 1), '',
  concat('{"session_id":"', id, '","node_id":"', node, '","event_id":', toString(n + 1), ',"type":"', kind,
    '","content":" ', lower(hex(cityHash64(number, 1))), '","id":"think"}\n')
FROM numbers({sessions:UInt64} * {frames:UInt64})
SETTINGS max_insert_threads = 1
