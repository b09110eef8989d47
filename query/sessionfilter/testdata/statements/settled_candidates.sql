SELECT session_id, started_ns, last_ns, cost_key AS sort_key FROM settled_costs
WHERE batch IN {costs:Array(String)} AND tenant = {tenant:String} AND cost >= {min_cost:Decimal(38, 18)} AND cost <= {max_cost:Decimal(38, 18)} AND started_ns >= {from:Int64} AND (sort_key, session_id) < ({after_key:Int64}, {after_id:String}) AND session_id NOT IN (SELECT session_id FROM unsettled_sessions) AND (batch = {recent_costs:String} OR session_id NOT IN (SELECT session_id FROM made_sessions))
ORDER BY sort_key DESC, session_id DESC
LIMIT {rows:UInt64}
