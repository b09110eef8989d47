{{- /* The open alerts of all tenants. */ -}}
SELECT
    tenant, session_id, stream_id, alert_id, rule, kind, condition, span_id, span_name, position, per, value, period, detail,
    toUnixTimestamp64Nano(began_at) AS began_ns, toUnixTimestamp64Nano(ended_at) AS ended_ns
FROM alerts FINAL
WHERE toUnixTimestamp64Nano(ended_at) = 0
ORDER BY began_at, alert_id
LIMIT {limit:UInt64}
