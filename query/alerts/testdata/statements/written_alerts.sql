SELECT
    tenant, session_id, stream_id, alert_id, rule, kind, condition, span_id, span_name, position, per, value, period, detail,
    toUnixTimestamp64Nano(began_at) AS began_ns, toUnixTimestamp64Nano(ended_at) AS ended_ns, version
FROM alerts
PREWHERE version > {after:UInt64}
ORDER BY version, alert_id
