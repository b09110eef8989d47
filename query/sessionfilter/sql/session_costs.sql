{{- /* define only: what each session cost whose cost is known, in part at least. Nearly all
records are reported once and say what they add. Sessions with a record that stands several
times, or with running totals, go through careful_usage. The rates of cells come with the
query, in the table cell_rates. */ -}}
{{define "priced_records"}}
    FROM (
        SELECT session_id, stream_id, provider, model, service_tier, speed, region, scope, toUnixTimestamp64Nano(at) AS at_ns, total AS stated,
            usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
            toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
            toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
            toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
{{- template "added_parts"}}
        FROM usage
        WHERE tenant = {tenant:String} AND {{template "current"}}{{template "cost_rows" .}}
            AND session_id NOT IN ({{template "sessions_with_care" .}})
        UNION ALL
        SELECT session_id, stream_id, provider, model, service_tier, speed, region, scope, at_ns, stated, counted,
            input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}
        FROM ({{template "careful_usage" (render "costs_with_care" .)}})) AS records
    {{- template "tag_joins" (.TagJoins (render "cost_streams" .))}}
{{- end}}
{{define "sessions_with_care"}}SELECT session_id FROM usage
                WHERE tenant = {tenant:String} AND {{template "current"}}{{template "cost_rows" .}}
                GROUP BY session_id
                HAVING uniqExact(cityHash64(usage_id)) != count() OR countIf(mode = 'running') > 0
{{- end}}
{{define "costs_with_care"}}PREWHERE tenant = {tenant:String} AND {{template "current"}}{{template "cost_rows" .}}
        AND session_id IN ({{template "sessions_with_care" .}})
{{- end}}
{{define "cell_hash"}}cityHash64({{template "cell_keys"}}{{template "cell_tags" .}}){{end}}
{{- /* cost_rows, cost_streams: with settled costs only the others are computed, which come in the
table unsettled_sessions. */ -}}
{{define "cost_rows"}}{{template "since" .}}{{template "cost_streams" .}}{{end}}
{{define "cost_streams"}}{{if .Settled}} AND session_id IN (SELECT session_id FROM unsettled_sessions){{end}}{{end}}
{{define "session_costs"}}
    {{- if .Settled}}
    SELECT session_id, cost AS session_cost FROM settled_costs
    WHERE batch IN {costs:Array(String)} AND tenant = {tenant:String}
        {{- if .Few}} AND session_id IN {among:Array(String)}{{end}}
        {{- if .Unsettled}} AND session_id NOT IN (SELECT session_id FROM unsettled_sessions)
    UNION ALL{{template "computed_costs" .}}{{end}}
    {{- else}}{{template "computed_costs" .}}{{end}}
{{- end}}
{{define "computed_costs"}}
    SELECT session_id, sum(
        cell_rates.call_rate * calls + cell_rates.rate_0 * input + cell_rates.rate_1 * cache_read
            + cell_rates.rate_2 * cache_write_5m + cell_rates.rate_3 * cache_write_1h
            + cell_rates.rate_4 * output + cell_rates.rate_5 * reasoning
        {{- range $i, $part := .PartRates}} + cell_rates.part_{{$i}} * {{$part}}{{end}}) AS session_cost
    FROM (
        SELECT records.session_id AS session_id, {{template "cell_hash" .CellTags}} AS cell_hash, NOT startsWith(scope, 'rest:') AS calls,
            input, cache_read, cache_write_5m, cache_write_1h, output, reasoning{{range .PartRates}}, {{.}}{{end}}
        {{- template "priced_records" .}}) AS hashed
    INNER JOIN cell_rates ON hashed.cell_hash = cell_rates.cell_hash
    GROUP BY session_id
{{- end}}
