{{- /* What the streams state of some sessions. */ -}}
{{- /* original: whether none of the sessions was ever deleted or decoded anew. */ -}}
{{define "original"}}(SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
        + (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0 AS original{{end -}}
{{- /* current_streams: the rows of streams that count. With Original, those that count if the
column "original" is true. */ -}}
{{define "current_streams"}}{{if .Original}}generation = 0{{else}}{{template "current_of_sessions"}}{{end}}{{end -}}
{{define "streams_of_sessions"}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        {{- if .Since}} AND stream_started >= toDateTime({oldest_stream:Int64}, 'UTC'){{end}} AND {{template "current_streams" .}}
{{- end -}}
SELECT
    session_id, {{- template "stream_times"}}
    {{- if .Ends}}
    groupArray(stream_id) AS stream_ids,
    groupArray(stream_end_ns) AS stream_ends,
    {{template "original"}},
    {{- end}}
    count() AS streams,
    sum(stream_frames) AS frames,
    sum(stream_bytes) AS bytes,
    countIf(stream_ended = 0 AND {{template "alive" "toUnixTimestamp64Nano(stream_last)"}}) AS live_streams,
    countIf(stream_ended = 0 AND NOT {{template "alive" "toUnixTimestamp64Nano(stream_last)"}}) AS lost_streams,
    {{- template "stream_texts"}}
FROM ( {{- template "stream_parts" (render "streams_of_sessions" .)}})
GROUP BY session_id
