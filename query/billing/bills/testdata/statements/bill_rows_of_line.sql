SELECT attempt, ordinal, class, charge_period, toUnixTimestamp64Nano(charge_start) AS start_ns, toUnixTimestamp64Nano(charge_end) AS end_ns,
    charge_id, toUnixTimestamp64Nano(at) AS at_ns, session_id, stream_id, position,
    provider, model, service_tier, speed, region, tags, unit, quantity, per, list_price, contracted_price, price,
    list_cost, contracted_cost, billed_cost, prices_hash, rules, reason, note
FROM bill_rows
WHERE tenant = {tenant:String} AND attempt IN {attempts:Array(String)} AND class = {row_class:String} AND charge_period = {row_charge_period:String} AND provider = {row_provider:String} AND model = {row_model:String} AND unit = {row_unit:String} AND (billed_cost = '') = {row_unpriced:UInt8} AND tags[{row_tag_name:String}] = {row_tag:String}
ORDER BY attempt, ordinal
LIMIT {limit:UInt64}
