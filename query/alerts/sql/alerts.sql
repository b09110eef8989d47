{{- /* Alerts of a tenant, the latest first. */ -}}
SELECT
    tenant, session_id, stream_id, alert_id, rule, kind, condition, span_id, span_name, position, per, value, period, detail,
    toUnixTimestamp64Nano(began_at) AS began_ns, toUnixTimestamp64Nano(ended_at) AS ended_ns
FROM alerts FINAL
PREWHERE tenant = {tenant:String}
    {{- if .Session}} AND session_id = {session:String} AND {{template "visible_of_session"}}
    {{- else}} AND {{template "visible"}}
    {{- end}}
WHERE 1
    {{- if .Rules}} AND rule IN {rules:Array(String)}{{end}}
    {{- if .Open}} AND toUnixTimestamp64Nano(ended_at) = 0{{end}}
    {{- if .Ended}} AND toUnixTimestamp64Nano(ended_at) != 0{{end}}
    {{- if .From}} AND began_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
    {{- if .To}} AND began_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
    {{- if .After}} AND (began_at, alert_id) < (fromUnixTimestamp64Nano({after_key:Int64}, 'UTC'), {after_id:String}){{end}}
ORDER BY began_at DESC, alert_id DESC
LIMIT {limit:UInt64}
