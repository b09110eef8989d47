{{- /* Writes what the sessions of a batch cost. The rates of cells come in the table
cell_rates. */ -}}
INSERT INTO settled_costs (batch, tenant, session_id, stream_id, started_ns, last_ns, cost)
SELECT {costs:String}, {tenant:String}, priced.session_id, priced.stream_id, began.started_ns, began.last_ns, priced.cost
FROM (
    SELECT session_id, min(stream_id) AS stream_id, sum(
        cell_rates.call_rate * calls + cell_rates.rate_0 * input + cell_rates.rate_1 * cache_read
            + cell_rates.rate_2 * cache_write_5m + cell_rates.rate_3 * cache_write_1h
            + cell_rates.rate_4 * output + cell_rates.rate_5 * reasoning
        {{- range $i, $part := .PartRates}} + cell_rates.part_{{$i}} * {{$part}}{{end}}) AS cost
    FROM (
        SELECT session_id, stream_id, {{template "batch_cell" .}} AS cell_hash, NOT rest AS calls,
            input, cache_read, cache_write_5m, cache_write_1h, output, reasoning{{range .PartRates}}, {{.}}{{end}}
        FROM settled_usage
        WHERE batch = {batch:String} AND tenant = {tenant:String}) AS hashed
    INNER JOIN cell_rates ON hashed.cell_hash = cell_rates.cell_hash
    GROUP BY session_id
) AS priced
INNER JOIN (
    SELECT session_id, toUnixTimestamp64Nano(min(first_at)) AS started_ns, toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns
    FROM streams FINAL
    PREWHERE tenant = {tenant:String} AND {{template "current"}}
        AND session_id IN (SELECT session_id FROM settled_usage WHERE batch = {batch:String} AND tenant = {tenant:String})
    GROUP BY session_id
) AS began ON priced.session_id = began.session_id
