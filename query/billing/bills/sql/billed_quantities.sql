{{- /* What was billed for charges, as far as it is compared: by charge and key. */ -}}
SELECT charge_id, any(session_id) AS session, any(stream_id) AS stream, provider, model, service_tier, speed, region, unit, any(per) AS per_units,
    list_price, contracted_price, price, reason, argMax(prices_hash, attempt) AS hash, sum(toInt64(quantity)) AS quantities
FROM bill_rows
WHERE tenant = {tenant:String} AND attempt IN {attempts:Array(String)} AND charge_period = {charge_period:String}
GROUP BY charge_id, provider, model, service_tier, speed, region, unit, list_price, contracted_price, price, reason
