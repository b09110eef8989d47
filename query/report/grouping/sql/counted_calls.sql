{{- /* define only: which calls of models or tools a report reads, for the templates counted_calls and
counted_tools. calls_where is the condition on what is settled. */ -}}
{{define "calls_where"}}
        {{- if .From}} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
        {{- if .To}} AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
        {{- template "among" .}}
{{- end}}
{{- /* call_days, careful_calls: the spans of the range, without a settlement. */ -}}
{{define "call_days"}}{{template "days" .}} AND {{template "current"}}{{template "among" .}}
         {{template "plain" .}}{{end}}
{{define "careful_calls"}}{{template "exceptions" .}}{{template "among" .}}{{end}}
{{- /* calls_of_changed: the spans and facts of sessions that changed since a settlement. */ -}}
{{define "calls_of_changed"}}{{template "calls_of" "unsettled_sessions"}}{{template "among" .}}{{end}}
{{- /* call_facts: the days of the range and the one after it, on which the calls of its last
day may end, and those of the sessions that cross its ends. */ -}}
{{define "call_facts"}}tenant = {tenant:String} AND {{template "current"}}
        {{- if .From}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({care_from:Int64}, 'UTC')){{end}}
        {{- if .To}} AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano(greatest({near_to:Int64}, {care_to:Int64}), 'UTC')){{end}}
        {{- template "among" .}}
{{- end}}
