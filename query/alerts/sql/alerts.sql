{{- /* Alerts of a tenant, the latest first. */ -}}
SELECT
    tenant, session_id, stream_id, alert_id, rule, kind, condition, span_id, span_name, position, per, value, period, detail,
    toUnixTimestamp64Nano(began_at) AS began_ns, toUnixTimestamp64Nano(ended_at) AS ended_ns
{{template "selected_alerts" .}}
    {{- if .After}} AND (began_at, alert_id) < (fromUnixTimestamp64Nano({after_key:Int64}, 'UTC'), {after_id:String}){{end}}
ORDER BY began_at DESC, alert_id DESC
LIMIT {limit:UInt64}
