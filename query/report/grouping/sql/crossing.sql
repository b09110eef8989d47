{{- /* Sessions with something in the range, a day to spare, and something outside of it, and
from when to when they last: what lies outside the range matters for these alone. */ -}}
SELECT session_id,
    toUnixTimestamp64Nano(min(first_at)) AS first_ns,
    toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns
FROM streams
WHERE tenant = {tenant:String} AND session_id IN (
    SELECT session_id FROM streams
    WHERE tenant = {tenant:String} AND (
        {{- if .From}}toUnixTimestamp64Nano(first_at) < {from:Int64}{{end}}
        {{- if and .From .To}} OR {{end}}
        {{- if .To}}toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {to:Int64}{{end}})
        AND session_id IN (SELECT session_id FROM streams WHERE tenant = {tenant:String} AND {{template "near" .}}))
GROUP BY session_id
{{- /* care_days: the range's days and those of the sessions that cross its ends. */ -}}
{{define "care_days"}}tenant = {tenant:String}
      {{- if .From}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({care_from:Int64}, 'UTC')){{end}}
      {{- if .To}} AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano({care_to:Int64}, 'UTC')){{end}}
{{- end}}
{{- /* without_exceptions, exceptions: which rows of spans count as they are,
and which need care: ids that stand in the table several times, as written by several
streams or seen anew, and all of the sessions that cross an end of the range.
Both stand in tables that come with the query. Where too many ids are repeated,
all rows are exceptions. */ -}}
{{define "plain"}}{{if .Everything}}AND 0{{else}}{{template "without_exceptions" .}}{{end}}{{end}}
{{define "without_exceptions"}}
        {{- if .Repeated}} AND cityHash64(session_id, {{.ID}}) NOT IN (SELECT id FROM repeated_ids){{end}}
        {{- if .Crossing}} AND session_id NOT IN (SELECT session_id FROM crossing_sessions){{end}}
{{- end}}
{{define "exceptions"}}PREWHERE {{template "care_days" .}} AND {{template "current"}} AND (
        {{- if .Crossing}}session_id IN (SELECT session_id FROM crossing_sessions) OR {{end}}{{template "days" .}}
        {{- if not .Everything}}{{if .Repeated}} AND cityHash64(session_id, {{.ID}}) IN (SELECT id FROM repeated_ids){{else}} AND 0{{end}}{{end}})
{{- end}}
