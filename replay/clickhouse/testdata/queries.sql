-- a page of a stream whose numbers have no gaps
SELECT seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw, type, source_session, run_id, node_id, agent, event_id, generation
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) IN (202601)
  AND seq >= 256 AND seq < 1280
--   tenant = 'default'
--   session = 'it\'s mine'
--   stream = '019b7d3c-0000-7000-8000-000000000000'
--   SETTINGS max_threads = 1
--   SETTINGS compile_expressions = 0
--   SETTINGS query_plan_max_limit_for_lazy_materialization = 256
--   SETTINGS use_statistics_for_part_pruning = 0
--   SETTINGS use_skip_indexes = 0

-- a page of any other
SELECT seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw, type, source_session, run_id, node_id, agent, event_id, generation
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) IN (202601)
  AND seq >= 256
ORDER BY seq
LIMIT 1024
--   tenant = 'default'
--   session = 'it\'s mine'
--   stream = '019b7d3c-0000-7000-8000-000000000000'
--   SETTINGS max_threads = 1
--   SETTINGS compile_expressions = 0
--   SETTINGS query_plan_max_limit_for_lazy_materialization = 256
--   SETTINGS use_statistics_for_part_pruning = 0
--   SETTINGS use_skip_indexes = 0

-- from a time on
SELECT seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw, type, source_session, run_id, node_id, agent, event_id, generation
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) IN (202601)
  AND captured_at >= fromUnixTimestamp64Nano(1767323045123456789, 'UTC')
ORDER BY seq
LIMIT 64
--   tenant = 'default'
--   session = 'it\'s mine'
--   stream = '019b7d3c-0000-7000-8000-000000000000'
--   SETTINGS max_threads = 1
--   SETTINGS compile_expressions = 0
--   SETTINGS query_plan_max_limit_for_lazy_materialization = 256
--   SETTINGS use_statistics_for_part_pruning = 0

-- without envelopes
SELECT seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) IN (202601)
  AND seq >= 0 AND seq < 256
--   tenant = 'default'
--   session = 'it\'s mine'
--   stream = '019b7d3c-0000-7000-8000-000000000000'
--   SETTINGS max_threads = 1
--   SETTINGS compile_expressions = 0
--   SETTINGS query_plan_max_limit_for_lazy_materialization = 256
--   SETTINGS use_statistics_for_part_pruning = 0
--   SETTINGS use_skip_indexes = 0

-- filtered
SELECT seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw, type, source_session, run_id, node_id, agent, event_id, generation
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) IN (202601)
  AND seq >= 0
  AND type IN {types:Array(String)}
  AND agent IN {agents:Array(String)}
  AND direction IN ('receive')
  AND (bitAnd(flags, 128) = 0 OR transport NOT IN ('http', 'websocket'))
ORDER BY seq
LIMIT 64
--   tenant = 'default'
--   session = 'it\'s mine'
--   stream = '019b7d3c-0000-7000-8000-000000000000'
--   types = '[\'tool_call\',\'\\\\ \\\' "\']'
--   agents = '[\'planner\']'
--   SETTINGS max_threads = 1
--   SETTINGS compile_expressions = 0
--   SETTINGS query_plan_max_limit_for_lazy_materialization = 256
--   SETTINGS use_statistics_for_part_pruning = 0

-- several streams
SELECT toLowCardinality(stream_id), seq, captured_at, CAST(direction, 'Int8'), CAST(transport, 'Int8'), flags, cuts, raw, type, source_session, run_id, node_id, agent, event_id, generation
FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id IN {streams:Array(String)}
  AND toYYYYMM(stream_started) IN (202601, 202505)
--   tenant = 'default'
--   session = 'it\'s mine'
--   streams = '[\'019b7d3c-0000-7000-8000-000000000000\',\'0196b3a0-0000-7000-8000-000000000001\']'
--   SETTINGS max_threads = 1
--   SETTINGS compile_expressions = 0
--   SETTINGS query_plan_max_limit_for_lazy_materialization = 256
--   SETTINGS use_statistics_for_part_pruning = 0
--   SETTINGS use_skip_indexes = 0

