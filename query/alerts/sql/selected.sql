{{- /* define only: the alerts of a tenant that a query selects. */ -}}
{{define "selected_alerts"}}FROM alerts FINAL
PREWHERE tenant = {tenant:String}
    {{- if .Session}} AND session_id = {session:String} AND {{template "visible_of_session"}}
    {{- else}} AND {{template "visible"}}
    {{- end}}
WHERE 1
    {{- if .Rules}} AND rule IN {rules:Array(String)}{{end}}
    {{- if .Per}} AND per = {per:String}{{end}}
    {{- if .Value}} AND value = {value:String}{{end}}
    {{- if .Open}} AND toUnixTimestamp64Nano(ended_at) = 0{{end}}
    {{- if .Ended}} AND toUnixTimestamp64Nano(ended_at) != 0{{end}}
    {{- if .From}} AND began_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
    {{- if .To}} AND began_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
{{- end}}
