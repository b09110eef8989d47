INSERT INTO bill_rows (tenant, account, period, attempt, ordinal, class, charge_period, charge_start, charge_end, charge_id, at, session_id, stream_id, position,
    provider, model, service_tier, speed, region, tags, unit, quantity, per, list_price, contracted_price, price,
    list_cost, contracted_cost, billed_cost, prices_hash, rules, reason, note)
