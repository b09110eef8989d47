{{- /* define only: which calls of models or tools a report reads, for the templates counted_calls and
counted_tools. calls_where is the condition on what is settled. */ -}}
{{define "calls_where"}}
        {{- if .From}} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
        {{- if .To}} AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
        {{- template "among" .}}
{{- end}}
{{- /* sessions_of_calls: without a settlement, the table unsettled_sessions has the sessions with spans on
the range's days, of which all facts are read. A call counts when its first row was seen. */ -}}
{{define "sessions_of_calls"}}
    {{- if .All}}
    WITH unsettled_sessions AS (SELECT DISTINCT session_id FROM spans WHERE {{template "days" .}}{{template "among" .}})
    {{- end}}
{{- end}}
