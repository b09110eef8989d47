{{- /* define only: the tags of sessions and of streams, joined to the records. As in tag_joins,
a tag's value is that of the stream that reported a record, else that of the first stream
of the session that has the tag. */ -}}
{{define "tag_maps"}}
LEFT JOIN (
    SELECT session_id, mapFromArrays(groupArray(tag), groupArray(value)) AS of_session
    FROM (
        SELECT session_id, tag, argMin(value, (first_at, stream_id)) AS value
        FROM streams
        ARRAY JOIN mapKeys(tags)::Array(String) AS tag, mapValues(tags) AS value
        WHERE tenant = {tenant:String}{{template "streams_of_the_range" .}}
        GROUP BY session_id, tag)
    GROUP BY session_id
) AS session_tags ON records.session_id = session_tags.session_id
LEFT JOIN (
    SELECT session_id, stream_id, argMax(tags, (first_seq, version))::Map(String, String) AS of_stream
    FROM streams
    WHERE tenant = {tenant:String}{{template "streams_of_the_range" .}}
    GROUP BY session_id, stream_id
) AS stream_tags ON records.session_id = stream_tags.session_id AND records.stream_id = stream_tags.stream_id
{{- end}}
