{{- /* Streams in which something arrived last, each with a session that has frames of
it. The sessions are found in one pass over narrow columns: what a stream's newest
row says may not be told before its rows are put together. */ -}}
{{define "streams_asked"}}tenant = {tenant:String}
    {{- if .Session}} AND session_id = {session:String}{{end}}
    {{- if .Stream}} AND stream_id = {stream:String}{{end}}
    {{- if .Digest}} AND digest = {digest:String}{{end}} AND {{template "current"}}{{end -}}
SELECT session_id, {{- template "stream_columns"}}
FROM streams FINAL
PREWHERE {{template "streams_asked" .}}
    AND (session_id, stream_id) IN (
        SELECT session_id, stream_id FROM streams
        WHERE {{template "streams_asked" .}}
        {{- if .Active}} AND last_at >= fromUnixTimestamp64Nano({live_since:Int64}, 'UTC'){{end}}
        GROUP BY session_id, stream_id
        HAVING 1
        {{- if .Active}} AND toUnixTimestamp64Nano(argMax(ended, (first_seq, version))) = 0{{end}}
        {{- if .Failed}} AND startsWith(argMax(end_reason, (first_seq, version)), 'error'){{end}}
        ORDER BY max(last_at) DESC, session_id, stream_id
        LIMIT {limit:UInt64})
GROUP BY session_id, stream_id
ORDER BY last_ns DESC, session_id, stream_id
