{{- /* Tokens by period and group. Nearly every record is written once and counts as
it is: these are added up straight. The exceptions go through careful_usage. */ -}}
{{define "of_the_range"}}
        {{- if or .From .To}} AND session_id IN (SELECT session_id FROM usage WHERE {{template "days" .}}
            {{- if .Crossing}} UNION ALL SELECT session_id FROM crossing_sessions{{end}}){{end}}
{{- end}}
SELECT
    {{.Period}} AS period,
    [{{range $i, $g := .Groups}}{{if $i}}, {{end}}toString({{$g}}){{end}}]::Array(String) AS groups,
    {{template "sums"}}
FROM (
    SELECT session_id, stream_id, scope, node_id, agent, model, provider, toUnixTimestamp64Nano(at) AS at_ns, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning
    FROM usage FINAL
    PREWHERE {{template "days" .}} AND {{template "current"}}
         {{template "plain" .}}
    {{- if .Running}}
    WHERE mode != 'running'
    {{- end}}
    {{- if .Careful}}
    UNION ALL
    SELECT session_id, stream_id, scope, node_id, agent, model, provider, at_ns, stated, counted,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning
    FROM ({{template "careful_usage" (render "exceptions" .)}})
    {{- end}}
) AS records
{{- if .ByNode}}
LEFT JOIN (
    SELECT session_id, node_id, argMax(name, version) AS node_name FROM spans
    WHERE tenant = {tenant:String} AND kind = 'node' AND name != '' AND node_id != ''
        AND {{template "current"}}
        {{- template "of_the_range" .}}
    GROUP BY session_id, node_id
) AS nodes ON records.session_id = nodes.session_id AND records.node_id = nodes.node_id
{{- end}}
{{- range $i, $tag := .Tags}}
LEFT JOIN (
    SELECT session_id,
        argMin(tags[{tag_{{$i}}:String}], (first_at, stream_id)) AS value,
        groupUniqArray((stream_id, tags[{tag_{{$i}}:String}])) AS by_stream
    FROM streams
    WHERE tenant = {tenant:String} AND mapContains(tags, {tag_{{$i}}:String})
        {{- template "of_the_range" $}}
    GROUP BY session_id
) AS tag_{{$i}} ON records.session_id = tag_{{$i}}.session_id
{{- end}}
WHERE 1
{{- if .From}} AND at_ns >= {from:Int64}{{end}}
{{- if .To}} AND at_ns < {to:Int64}{{end}}
GROUP BY period{{range .Groups}}, {{.}}{{end}}
ORDER BY period, groups
LIMIT {limit:UInt64}
