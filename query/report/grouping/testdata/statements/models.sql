SELECT provider, model, max(stated_cost != '')::Bool AS stated FROM usage
PREWHERE tenant = {tenant:String} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({care_from:Int64}, 'UTC')) AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano({care_to:Int64}, 'UTC'))
GROUP BY provider, model
