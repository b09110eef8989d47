{{- /* define only: the frames of one session that a question is about. */ -}}
{{define "stored_frames"}}tenant = {tenant:String} AND session_id = {session:String}
  AND {{template "visible_of_session"}}
{{- end}}
{{- define "in_span"}}{{if .Span}}
  AND captured_at >= fromUnixTimestamp64Nano({span_from:Int64}, 'UTC') AND captured_at < fromUnixTimestamp64Nano({span_to:Int64}, 'UTC'){{end}}
{{- end}}
{{define "session_frames"}}{{template "stored_frames"}}
  {{- template "in_span" .}}
  {{- if .Types}} AND type IN {types:Array(String)}{{end}}
  {{- if .Agents}} AND agent IN {agents:Array(String)}{{end}}
  {{- if .Directions}} AND toString(direction) IN {directions:Array(String)}{{end}}
  {{- if .Bytes}} AND (bitAnd(flags, {note:UInt32}) = 0 OR transport NOT IN ('http', 'websocket')){{end}}
  {{- if .Nodes}} AND (node_id IN {nodes:Array(String)} OR node_id IN (
        SELECT node_id FROM spans WHERE {{template "in_sessions"}} AND kind = 'node' AND name IN {nodes:Array(String)})){{end}}
{{- end}}
{{- /* How far the next window reaches: the arrival time of the last of the next
rows that together stay within the budget of bytes, but at least of one. Where
the rows end is found by their times alone, and only their sizes are read. With
a reach, rows that arrived after it are not looked at. */ -}}
{{define "next_frames"}}{{template "session_frames" .}}
    {{- if .After}} AND captured_at > fromUnixTimestamp64Nano({after_at:Int64}, 'UTC'){{end}}
{{- end}}
SELECT
    count() AS ahead,
    countIf(place = 1 OR total <= {budget:UInt64}) AS taken,
    toUnixTimestamp64Nano(maxIf(captured_at, place = 1 OR total <= {budget:UInt64})) AS until_ns
FROM (
    SELECT captured_at,
        row_number() OVER so_far AS place,
        sum(size) OVER so_far AS total
    FROM (
        SELECT captured_at, length(raw) AS size FROM frames
        WHERE {{template "next_frames" .}} AND captured_at <= (
            SELECT max(captured_at) FROM (
                SELECT captured_at FROM frames
                WHERE {{template "next_frames" .}}
                {{- if .Reach}} AND captured_at <= fromUnixTimestamp64Nano({reach_at:Int64}, 'UTC'){{end}}
                ORDER BY captured_at
                LIMIT {rows:UInt64}))
        ORDER BY captured_at
        LIMIT {rows:UInt64})
    WINDOW so_far AS (ORDER BY captured_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
