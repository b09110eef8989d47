{{- /* Writes a tenant's rows of a batch from those of settled_charges, which are complete. */ -}}
INSERT INTO settled_usage (batch, tenant, session_id, stream_id, at, rest, span_id, run_id, node_id, agent, dialect, class,
    provider, model, service_tier, speed, region, valid, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, tags)
SELECT batch, tenant, session_id, stream_id, at, startsWith(scope, 'rest:')::Bool, span_id, run_id, node_id, agent, dialect, {{template "class"}},
    provider, model, service_tier, speed, region, {{template "cell_is_valid"}}::Bool, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, cell_tags
FROM settled_charges
WHERE batch = {batch:String} AND tenant = {tenant:String}
