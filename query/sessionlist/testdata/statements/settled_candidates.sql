SELECT session_id, toInt64(least(cost, 9000000) * 1000000000000) AS sort_key FROM settled_costs
WHERE batch IN {costs:Array(String)} AND tenant = {tenant:String} AND cost >= {min_cost:Decimal(38, 18)} AND cost <= {max_cost:Decimal(38, 18)} AND started_ns >= {from:Int64} AND (sort_key, session_id) < ({after_key:Int64}, {after_id:String}) AND session_id NOT IN (SELECT session_id FROM unsettled_sessions)
ORDER BY sort_key DESC, session_id DESC
LIMIT {rows:UInt64}
