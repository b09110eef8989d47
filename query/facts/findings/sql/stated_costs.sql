{{- /* The records that count and state what they cost, each as a cell. Running totals state none. */ -}}
SELECT
    records.session_id AS session_id,
    any(stated_cost) AS amount,
    any(stated_currency) AS currency,
    {{template "cell_columns" .CellTags}},
    {{template "sums"}}
FROM (
    SELECT session_id, stream_id, usage_id, toUnixTimestamp64Nano(at) AS at_ns, scope, model, provider, service_tier, speed, region,
        stated_cost, stated_currency, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
{{- template "added_parts"}}
    FROM usage FINAL
    PREWHERE {{template "in_sessions"}}
    WHERE mode != 'running'
    ORDER BY at DESC, version DESC, stream_id DESC
    LIMIT 1 BY session_id, usage_id) AS records
{{- template "tag_joins" (.TagJoins " AND session_id IN {sessions:Array(String)}")}}
WHERE stated_cost != '' AND {{template "counts"}}
GROUP BY session_id, usage_id{{template "cell_tags" .CellTags}}
