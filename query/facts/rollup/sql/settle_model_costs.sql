{{- /* Writes what the calls of a batch cost, by streams, models and quarters of an hour. The rates
of cells come in the table cell_rates, without those whose cost is not known. */ -}}
INSERT INTO settled_model_costs (batch, tenant, session_id, stream_id, at, provider, model, calls, cost, priced, unpriced_calls, unpriced_tokens, tags)
SELECT {costs:String}, {tenant:String}, session_id, stream_id, quarter, provider, model,
    sum(calls),
    sum(cell_rates.call_rate * calls + cell_rates.rate_0 * input + cell_rates.rate_1 * cache_read
        + cell_rates.rate_2 * cache_write_5m + cell_rates.rate_3 * cache_write_1h
        + cell_rates.rate_4 * output + cell_rates.rate_5 * reasoning
    {{- range $i, $part := .PartRates}} + cell_rates.part_{{$i}} * {{$part}}{{end}}),
    max(known),
    sumIf(calls, NOT known),
    sumIf(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning, NOT known),
    any(tags)
FROM (
    SELECT session_id, stream_id, {{template "counted_cell" .Tags}} AS hash, NOT rest AS calls, provider, model, tags,
        fromUnixTimestamp64Nano(intDiv(toUnixTimestamp64Nano(at), 900000000000) * 900000000000, 'UTC') AS quarter,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning{{range .PartRates}}, {{.}}{{end}}
    FROM settled_usage
    WHERE batch = {batch:String} AND tenant = {tenant:String}) AS hashed
LEFT JOIN (SELECT *, true AS known FROM cell_rates) AS cell_rates ON hashed.hash = cell_rates.cell_hash
GROUP BY session_id, stream_id, quarter, provider, model
