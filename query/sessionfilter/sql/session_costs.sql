{{- /* define only: what each session cost whose cost is known, in part at least: settled costs, and
those of other sessions, computed by the rates of cells in the table cell_rates. */ -}}
{{define "priced_records"}}{{template "counted_usage" (.Counted (render "counted_all" .) (render "only" .) (render "since" .) (render "only" .))}}{{end}}
{{define "only"}}{{if .Only}} AND session_id IN {only:Array(String)}{{end}}{{end}}
{{define "costs_mask"}}
        {{- if .Unsettled}} AND session_id NOT IN (SELECT session_id FROM unsettled_sessions){{end}}
        {{- if .Remade}} AND (batch = {recent_costs:String} OR session_id NOT IN (SELECT session_id FROM made_sessions)){{end}}
{{- end}}
{{define "session_costs"}}
    {{- if .StoredCosts}}
    SELECT session_id, cost AS session_cost FROM settled_costs
    WHERE batch IN {costs:Array(String)} AND tenant = {tenant:String}
        {{- if .Few}} AND session_id IN {among:Array(String)}{{end}}
        {{- template "costs_mask" .}}
        {{- if .Unsettled}}
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
        SELECT session_id, {{template "counted_cell" .TagNames}} AS hash, NOT rest AS calls,
            input, cache_read, cache_write_5m, cache_write_1h, output, reasoning{{range .PartRates}}, {{.}}{{end}}
        FROM ({{template "priced_records" .}})) AS hashed
    INNER JOIN cell_rates ON hashed.hash = cell_rates.cell_hash
    GROUP BY session_id
{{- end}}
