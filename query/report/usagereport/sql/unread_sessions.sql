{{- /* The sessions that have frames in the range with usage that no rule reads. They may have no
usage record, and then no row of the report. */ -}}
SELECT DISTINCT session_id AS session FROM frames
PREWHERE tenant = {tenant:String} AND bitAnd(flags, {unread_usage:UInt32}) != 0
    {{- if .From}} AND toUnixTimestamp64Nano(captured_at) >= {from:Int64}{{end}}
    {{- if .To}} AND toUnixTimestamp64Nano(captured_at) < {to:Int64}{{end}}
    {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
WHERE {{template "visible"}}
LIMIT {session_rows:UInt64}
