{{- /* Writes a batch. The sessions come in the tables plain_sessions and care_sessions. Tags
are those of the stream that reported a record, else of the first stream of its session that
has the tag, as in tag_joins. */ -}}
INSERT INTO settled_usage (batch, tenant, session_id, stream_id, at, rest, span_id, run_id, node_id, agent, dialect, class,
    provider, model, service_tier, speed, region, valid, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, tags)
SELECT
    {batch:String}, {tenant:String}, records.session_id, records.stream_id, fromUnixTimestamp64Nano(at_ns, 'UTC'), startsWith(scope, 'rest:'),
    span_id, run_id, node_id, agent, dialect, {{template "class"}},
    provider, model, service_tier, speed, region, {{template "cell_is_valid"}}, stated != 0 AND stated != counted, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}},
    mapUpdate(of_sessions.tags, of_streams.tags)
FROM (
    SELECT session_id, stream_id, usage_id, scope, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect,
        stated_cost, stated_currency, toUnixTimestamp64Nano(at) AS at_ns, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
{{- template "added_parts"}}
    FROM usage
    WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) >= {month:UInt32} AND {{template "current"}}
        AND session_id IN (SELECT session_id FROM plain_sessions)
    {{- if .Care}}
    UNION ALL
    SELECT session_id, stream_id, usage_id, scope, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect,
        stated_cost, stated_currency, at_ns, stated, counted,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}
    FROM ({{template "careful_usage" (render "with_care" .)}})
    {{- end}}
) AS records
LEFT JOIN (
    SELECT session_id, mapFromArrays(groupArray(tag), groupArray(value))::Map(String, String) AS tags
    FROM (
        SELECT session_id, tag, argMin(value, (first_at, stream_id)) AS value
        FROM streams
        ARRAY JOIN mapKeys(tags)::Array(String) AS tag, mapValues(tags) AS value
        WHERE tenant = {tenant:String} AND session_id IN ({{template "sessions_of_batch"}})
        GROUP BY session_id, tag)
    GROUP BY session_id
) AS of_sessions ON records.session_id = of_sessions.session_id
LEFT JOIN (
    SELECT session_id, stream_id, mapFromArrays(groupArray(tag), groupArray(value))::Map(String, String) AS tags
    FROM (
        SELECT session_id, stream_id, tag, max(value) AS value
        FROM streams
        ARRAY JOIN mapKeys(tags)::Array(String) AS tag, mapValues(tags) AS value
        WHERE tenant = {tenant:String} AND session_id IN ({{template "sessions_of_batch"}})
        GROUP BY session_id, stream_id, tag
        HAVING value != '')
    GROUP BY session_id, stream_id
) AS of_streams ON records.session_id = of_streams.session_id AND records.stream_id = of_streams.stream_id
{{- define "sessions_of_batch"}}SELECT session_id FROM plain_sessions UNION ALL SELECT session_id FROM care_sessions{{end}}
{{- define "with_care"}}PREWHERE tenant = {tenant:String} AND toYYYYMM(seen_at) >= {month:UInt32} AND {{template "current"}}
        AND session_id IN (SELECT session_id FROM care_sessions){{end}}
