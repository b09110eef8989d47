{{- /* define only: the values of tags, joined to rows named records: that of the stream that
reported a record, else that of the first stream of its session that has the tag. */ -}}
{{define "tag_joins"}}
{{- range $i, $tag := .Tags}}
LEFT JOIN (
    SELECT of_streams.session_id AS session_id, of_streams.stream_id AS stream_id,
        if(of_streams.own != '', of_streams.own, of_sessions.first) AS value
    FROM (
        SELECT session_id, stream_id, max(tags[{tag_{{$i}}:String}]) AS own FROM streams
        WHERE tenant = {tenant:String}{{$.Of}}
        GROUP BY session_id, stream_id
    ) AS of_streams
    INNER JOIN (
        SELECT session_id, argMin(tags[{tag_{{$i}}:String}], (first_at, stream_id)) AS first FROM streams
        WHERE tenant = {tenant:String} AND mapContains(tags, {tag_{{$i}}:String}){{$.Of}}
        GROUP BY session_id
    ) AS of_sessions ON of_streams.session_id = of_sessions.session_id
) AS tag_{{$i}} ON records.session_id = tag_{{$i}}.session_id AND records.stream_id = tag_{{$i}}.stream_id
{{- end}}
{{- end}}
