{{- /* The cells of a tenant's records in a batch. */ -}}
SELECT
    {{template "counted_cell" .Tags}} AS cell_hash,
    {{template "counted_sums" .Tags}}
FROM settled_usage
WHERE batch = {batch:String} AND tenant = {tenant:String}
GROUP BY cell_hash
