SELECT
    span_id, stream_id, toUnixTimestamp64Nano(seen_at) AS seen_ns, seen_seq, version,
    kind, parent_id, name, status,
    toUnixTimestamp64Nano(started) AS started_ns,
    toUnixTimestamp64Nano(ended) AS ended_ns,
    toUnixTimestamp64Nano(first_token) AS first_token_ns,
    duration_ns, run_id, node_id, agent, call_id, model, provider, error, attributes
FROM spans FINAL
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND generation = 0
