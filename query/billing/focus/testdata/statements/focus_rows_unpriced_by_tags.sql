SELECT ordinal, class, charge_period, toUnixTimestamp64Nano(charge_start) AS start_ns, toUnixTimestamp64Nano(charge_end) AS end_ns,
    charge_id, toUnixTimestamp64Nano(at) AS at_ns, session_id, stream_id, position, provider, model, service_tier, speed, region,
    tags, unit, quantity, per, list_price, contracted_price, price, list_cost, contracted_cost, billed_cost,
    prices_hash, rules, reason, note
FROM bill_rows
WHERE tenant = {tenant:String} AND attempt = {attempt:String} AND reason != ''
ORDER BY charge_start, charge_end, provider, model, unit, class, charge_period, service_tier, speed, region,
    list_price, contracted_price, price, prices_hash, rules, reason, note, tags[{tag_0:String}], tags[{tag_1:String}], at, ordinal
SETTINGS max_block_size = 4096, max_bytes_before_external_sort = 200000000
