{{- /* What the streams state of some sessions. A stream's part is one row, the
newest standing; a stream runs until its last part has ended. end_ns is when the last
of them ended, or when its last frame arrived if no end was recorded after that. */ -}}
SELECT
    session_id,
    toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
    toUnixTimestamp64Nano(max(stream_last)) AS last_ns,
    max(stream_end_ns) AS end_ns,
    argMax(stream_ended, (stream_end_ns, stream_last, stream_id)) AS last_ended_ns,
    argMax(stream_reason, (stream_end_ns, stream_last, stream_id)) AS last_reason,
    {{- if .Ends}}
    groupArray(stream_id) AS stream_ids,
    groupArray(stream_end_ns) AS stream_ends,
    {{- end}}
    count() AS streams,
    sum(stream_frames) AS frames,
    sum(stream_bytes) AS bytes,
    countIf(stream_ended = 0 AND {{template "alive" "toUnixTimestamp64Nano(stream_last)"}}) AS live_streams,
    countIf(stream_ended = 0 AND NOT {{template "alive" "toUnixTimestamp64Nano(stream_last)"}}) AS lost_streams,
    startsWith(last_reason, 'error') AS cut,
    argMinIf(stream_title, (stream_first, stream_id), stream_title != '') AS title,
    arraySort(groupUniqArrayIf(stream_dialect, stream_dialect != '')) AS dialects,
    arrayMap(pair -> pair.1, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_keys,
    arrayMap(pair -> pair.2, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_values
FROM (
    SELECT
        session_id, stream_id,
        min(first_at) AS stream_first,
        max(greatest(first_at, last_at)) AS stream_last,
        sum(frames) AS stream_frames,
        sum(bytes) AS stream_bytes,
        toUnixTimestamp64Nano(argMax(ended, first_seq)) AS stream_ended,
        greatest(toUnixTimestamp64Nano(stream_last), stream_ended) AS stream_end_ns,
        argMax(end_reason, first_seq) AS stream_reason,
        argMax(recorder, first_seq) AS stream_recorder,
        argMinIf(title, first_seq, title != '') AS stream_title,
        argMax(dialect, first_seq) AS stream_dialect,
        argMax(tags, first_seq) AS stream_tags
    FROM streams FINAL
    PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        {{- if .Since}} AND stream_started >= toDateTime({oldest_stream:Int64}, 'UTC'){{end}} AND {{template "current_of_sessions"}}
    GROUP BY session_id, stream_id)
GROUP BY session_id
