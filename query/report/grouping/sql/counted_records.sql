{{- /* define only: the usage records of a report as they count, as rows named records. Values of tags
are columns of the records. */ -}}
{{define "counted_record_columns"}}records.session_id AS session_id, span_id, run_id, node_id, agent, dialect, class, provider, model, service_tier, speed, region, rest, valid, mismatch,
        {{- if .StatedCosts}} stated_cost, stated_currency, if(rest, 'rest:', '') AS scope,{{end}}
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning{{if .Parts}}, {{template "parts"}}{{end}}, toUnixTimestamp64Nano(at) AS at_ns
        {{- range $i, $tag := .Tags}}, tags[{tag_{{$i}}:String}] AS tag_value_{{$i}}{{end}}
{{- end}}
{{define "counted_range"}}
        {{- if .From}} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
        {{- if .To}} AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
{{- end}}
{{define "among"}}{{if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}{{end}}
{{define "counted_where"}}{{template "counted_range" .}}{{template "among" .}}{{end}}
{{- /* made_where: without a settlement, the sessions that have usage in the range or may have some, of
which all rows are read. Those with usage alone have streams that are not stored yet. */ -}}
{{define "made_where"}}{{template "made_range" .}}{{template "among" .}}{{end}}
{{define "made_range"}}
        {{- if and .All (or .From .To)}} AND session_id IN (
            SELECT session_id FROM streams WHERE tenant = {tenant:String} AND {{template "near" .}}
            UNION ALL SELECT session_id FROM usage WHERE {{template "days" .}}){{end}}
{{- end}}
{{define "counted_records"}}FROM ({{template "counted_usage" (.Counted (render "counted_record_columns" .) (render "counted_where" .) (render "made_where" .) (render "made_where" .))}}
) AS records
{{- template "span_joins" .}}
WHERE 1
{{- if .From}} AND at_ns >= {from:Int64}{{end}}
{{- if .To}} AND at_ns < {to:Int64}{{end}}
{{- end}}
{{define "of_counted"}}
        {{- if .All}}{{template "made_where" .}}
        {{- else}} AND session_id IN (
            SELECT session_id FROM settled_usage WHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}{{template "counted_where" .}}
            {{- if .Unsettled}} UNION ALL SELECT session_id FROM unsettled_sessions{{end}}){{end}}
{{- end}}
{{define "spans_of_counted"}}PREWHERE tenant = {tenant:String} AND {{template "current"}}{{template "of_counted" .}}{{end}}
{{- /* span_joins: what spans say of the records. */ -}}
{{define "span_joins"}}
{{- if .ByNode}}
LEFT JOIN (
    SELECT session_id, node_id, argMax(name, version) AS node_name FROM spans
    WHERE tenant = {tenant:String} AND kind = 'node' AND name != '' AND node_id != ''
        AND {{template "current"}}
        {{- template "of_counted" .}}
    GROUP BY session_id, node_id
) AS nodes ON records.session_id = nodes.session_id AND records.node_id = nodes.node_id
{{- end}}
{{- if .ByStatus}}
LEFT JOIN (
    SELECT session_id, span_id, span_status FROM ({{template "merged_spans" (render "spans_of_counted" .)}})
) AS call_spans ON records.session_id = call_spans.session_id AND records.span_id = call_spans.span_id
{{- end}}
{{- end}}
