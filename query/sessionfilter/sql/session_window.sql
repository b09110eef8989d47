{{- /* How far the streams at the front of an order of time reach, and the sessions
of a short window: no session whose place is before the edge is missing there. */ -}}
SELECT
    count() AS found,
    toUnixTimestamp64Nano({{if .Descending}}min{{else}}max{{end}}(placed_at)) AS edge_ns,
    {{if .Few}}groupUniqArray(session_id){{else}}emptyArrayString(){{end}} AS sessions
FROM (
    SELECT {{.Time}} AS placed_at{{if .Few}}, session_id{{end}} FROM streams
    WHERE tenant = {tenant:String}{{template "from_begin" .}}
    ORDER BY placed_at{{if .Descending}} DESC{{end}}
    LIMIT {rows:UInt64})
{{- define "from_begin"}}
    {{- if .Begin}} AND {{.Time}} {{if .Descending}}<={{else}}>={{end}} fromUnixTimestamp64Nano({begin:Int64}, 'UTC'){{end}}
{{- end}}
