{{- /* The rows of a bill that have a price, or those that have none: rows of the same group one after
another, and in a group by time. */ -}}
SELECT ordinal, class, charge_period, toUnixTimestamp64Nano(charge_start) AS start_ns, toUnixTimestamp64Nano(charge_end) AS end_ns,
    charge_id, toUnixTimestamp64Nano(at) AS at_ns, session_id, stream_id, position, provider, model, service_tier, speed, region,
    tags, unit, quantity, per, list_price, contracted_price, price, list_cost, contracted_cost, billed_cost,
    prices_hash, rules, reason, note
FROM bill_rows
WHERE tenant = {tenant:String} AND attempt = {attempt:String} AND reason {{if .Unpriced}}!={{else}}={{end}} ''
ORDER BY charge_start, charge_end, provider, model, unit, class, charge_period, service_tier, speed, region,
    list_price, contracted_price, price, prices_hash, rules, reason, note,
    {{- range $i, $tag := .Tags}} tags[{tag_{{$i}}:String}],{{end}} at, ordinal
SETTINGS max_block_size = 4096, max_bytes_before_external_sort = 200000000
