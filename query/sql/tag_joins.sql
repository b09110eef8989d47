{{- /* define only: the values of tags by session, joined to rows named records. */ -}}
{{define "tag_joins"}}
{{- range $i, $tag := .Tags}}
LEFT JOIN (
    SELECT session_id,
        argMin(tags[{tag_{{$i}}:String}], (first_at, stream_id)) AS value,
        groupUniqArray((stream_id, tags[{tag_{{$i}}:String}])) AS by_stream
    FROM streams
    WHERE tenant = {tenant:String} AND mapContains(tags, {tag_{{$i}}:String}){{$.Of}}
    GROUP BY session_id
) AS tag_{{$i}} ON records.session_id = tag_{{$i}}.session_id
{{- end}}
{{- end}}
