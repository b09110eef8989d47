{{- /* define only: what the streams of sessions come to. A stream's part is one row, the newest
standing; a stream runs until its last part has ended. end_ns is when the last of them ended, or
when its last frame arrived if no end was recorded after that. */ -}}
{{define "stream_times"}}
    toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
    toUnixTimestamp64Nano(max(stream_last)) AS last_ns,
    max(stream_end_ns) AS end_ns,
    argMax(stream_ended, (stream_end_ns, stream_last, stream_id)) AS last_ended_ns,
    argMax(stream_reason, (stream_end_ns, stream_last, stream_id)) AS last_reason,
{{- end}}
{{define "stream_texts"}}
    startsWith(last_reason, 'error') AS cut,
    argMinIf(stream_title, (stream_first, stream_id), stream_title != '') AS title,
    arraySort(groupUniqArrayIf(stream_dialect, stream_dialect != '')) AS dialects,
    arrayMap(pair -> pair.1, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_keys,
    arrayMap(pair -> pair.2, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_values
{{- end}}
{{- /* stream_parts: a row for each stream of each session, of the rows that stand in it. */ -}}
{{define "stream_parts"}}
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
    PREWHERE {{.}}
    GROUP BY session_id, stream_id
{{- end}}
