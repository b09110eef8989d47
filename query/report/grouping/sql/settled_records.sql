{{- /* define only: the usage records of a report, as rows named records, of settled sessions from
settled_usage, and of the others, which come in the table unsettled_sessions, with care. Values
of tags are columns of the records. */ -}}
{{define "settled_columns"}}records.session_id AS session_id, span_id, run_id, node_id, agent, dialect, class, provider, model, service_tier, speed, region, rest, valid, mismatch,
        {{- if .StatedCosts}} stated_cost, stated_currency, if(rest, 'rest:', '') AS scope,{{end}}
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning{{if .Parts}}, {{template "parts"}}{{end}}
{{- end}}
{{define "settled_records"}}FROM (
    SELECT {{template "settled_columns" .}}, toUnixTimestamp64Nano(at) AS at_ns
        {{- range $i, $tag := .Tags}}, tags[{tag_{{$i}}:String}] AS tag_value_{{$i}}{{end}}
    FROM settled_usage AS records
    PREWHERE {{template "settled_range" .}}
        {{- if .Unsettled}} AND session_id NOT IN (SELECT session_id FROM unsettled_sessions){{end}}
        {{- if .Among}} AND session_id IN (SELECT session_id FROM among_sessions){{end}}
    {{- if .Unsettled}}
    UNION ALL
    SELECT {{template "settled_columns" .}}, at_ns{{range $i, $tag := .Tags}}, tag_{{$i}}.value AS tag_value_{{$i}}{{end}}
    FROM (
        SELECT session_id, stream_id, span_id, run_id, node_id, toLowCardinality(agent) AS agent, toLowCardinality(dialect) AS dialect, {{template "class"}} AS class,
            toLowCardinality(provider) AS provider, toLowCardinality(model) AS model, toLowCardinality(service_tier) AS service_tier,
            toLowCardinality(speed) AS speed, toLowCardinality(region) AS region,
            startsWith(scope, 'rest:')::Bool AS rest, {{template "cell_is_valid"}}::Bool AS valid, (stated != 0 AND stated != counted)::Bool AS mismatch,
            stated_cost, toLowCardinality(stated_currency) AS stated_currency, at_ns,
            input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}
        FROM ({{template "careful_usage" (render "unsettled_usage" .)}})
    ) AS records
    {{- template "tag_joins" (.TagJoins " AND session_id IN (SELECT session_id FROM unsettled_sessions)")}}
    {{- if .Among}}
    WHERE records.session_id IN (SELECT session_id FROM among_sessions)
    {{- end}}
    {{- end}}
) AS records
{{- template "span_joins" .}}
WHERE 1
{{- if .From}} AND at_ns >= {from:Int64}{{end}}
{{- if .To}} AND at_ns < {to:Int64}{{end}}
{{- end}}
{{define "settled_range"}}batch IN {batches:Array(String)} AND tenant = {tenant:String}
        {{- if .From}} AND at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
        {{- if .To}} AND at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
{{- end}}
{{define "unsettled_usage"}}PREWHERE tenant = {tenant:String} AND {{template "current"}} AND session_id IN (SELECT session_id FROM unsettled_sessions){{end}}
{{define "of_settled"}} AND session_id IN (SELECT session_id FROM settled_usage WHERE {{template "settled_range" .}}
            {{- if .Unsettled}} UNION ALL SELECT session_id FROM unsettled_sessions{{end}})
{{- end}}
