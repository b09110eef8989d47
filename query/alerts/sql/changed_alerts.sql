{{- /* Alerts of a tenant that were stored after a version, as they are now. */ -}}
SELECT
    tenant, session_id, stream_id, alert_id, rule, kind, condition, span_id, span_name, position, per, value, period, detail,
    toUnixTimestamp64Nano(began_at) AS began_ns, toUnixTimestamp64Nano(ended_at) AS ended_ns, version
{{template "selected_alerts" .}}
    AND (version, alert_id) > ({after:UInt64}, {after_id:String})
ORDER BY version, alert_id
LIMIT {limit:UInt64}
