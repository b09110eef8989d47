{{- /* define only: rows that may be of a range. */ -}}
{{- /* near: rows of streams that lie in the range, a day to spare, in part at least. */ -}}
{{define "near"}}
    {{- if .From}}toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {near_from:Int64}{{end}}
    {{- if and .From .To}} AND {{end}}
    {{- if .To}}toUnixTimestamp64Nano(first_at) < {near_to:Int64}{{end}}
{{- end}}
{{- /* days: rows first seen on the range's days (UTC), which stand in the key. */ -}}
{{define "days"}}tenant = {tenant:String}
      {{- if .From}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')){{end}}
      {{- if .To}} AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC')){{end}}
{{- end}}
{{- /* sessions_of_calls: without a settlement, the table unsettled_sessions has the sessions with spans on
the range's days, of which all facts are read. A call counts when its first row was seen. */ -}}
{{define "sessions_of_calls"}}
    {{- if .All}}
    WITH unsettled_sessions AS (SELECT DISTINCT session_id FROM spans WHERE {{template "days" .}}{{template "among" .}})
    {{- end}}
{{- end}}
