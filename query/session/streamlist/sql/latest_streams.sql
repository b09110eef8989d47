{{- /* Streams in which something arrived last, each with a session that has frames of
it. The sessions are found in one pass over narrow columns: what a stream's newest
row says is not known before its rows are put together. */ -}}
{{define "streams_asked"}}tenant = {tenant:String}
    {{- if .Session}} AND session_id = {session:String}{{end}}
    {{- if .Stream}} AND stream_id = {stream:String}{{end}}
    {{- if .Digests}} AND digest IN {digests:Array(String)}{{end}} AND {{template "current"}}{{end -}}
SELECT session_id, {{- template "stream_columns"}}
FROM streams FINAL
PREWHERE {{template "streams_asked" .}}
    AND (session_id, stream_id) IN (
        SELECT session_id, stream_id
        FROM (
            SELECT
                session_id, stream_id,
                toUnixTimestamp64Nano(max(last_at)) AS stream_last_ns
                {{- if .Active}},
                argMax(recorder, (first_seq, version)) AS stream_recorder,
                toUnixTimestamp64Nano(argMax(ended, (first_seq, version))) AS stream_ended
                {{- end}}
                {{- if .Failed}},
                argMax(end_reason, (first_seq, version)) AS stream_reason
                {{- end}}
            FROM streams
            WHERE {{template "streams_asked" .}}
            {{- if .Active}} AND (session_id, stream_id) IN (
                SELECT session_id, stream_id FROM streams
                WHERE {{template "streams_asked" .}} AND toUnixTimestamp64Nano(ended) = 0)
            {{- end}}
            GROUP BY session_id, stream_id)
        WHERE 1
        {{- if .Active}} AND stream_ended = 0 AND {{template "alive" "stream_last_ns"}}{{end}}
        {{- if .Failed}} AND startsWith(stream_reason, 'error'){{end}}
        ORDER BY stream_last_ns DESC, session_id, stream_id
        LIMIT {limit:UInt64})
GROUP BY session_id, stream_id
ORDER BY last_ns DESC, session_id, stream_id
