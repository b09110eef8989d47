{{- /* Writes what the sessions of a batch cost: the sums of settle_model_costs.sql. */ -}}
INSERT INTO settled_costs (batch, tenant, session_id, stream_id, started_ns, last_ns, cost)
SELECT {costs:String}, {tenant:String}, priced.session_id, priced.stream_id, began.started_ns, began.last_ns, priced.cost
FROM (
    SELECT session_id, min(stream_id) AS stream_id, sum(cost) AS cost
    FROM settled_model_costs
    WHERE batch = {costs:String} AND tenant = {tenant:String} AND priced
    GROUP BY session_id
) AS priced
INNER JOIN (
    SELECT session_id, toUnixTimestamp64Nano(min(first_at)) AS started_ns, toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns
    FROM streams FINAL
    PREWHERE tenant = {tenant:String} AND {{template "current"}}
        AND session_id IN (SELECT session_id FROM settled_usage WHERE batch = {batch:String} AND tenant = {tenant:String})
    GROUP BY session_id
) AS began ON priced.session_id = began.session_id
