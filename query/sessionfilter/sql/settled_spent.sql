{{- /* session_usage, of settled sessions. */ -}}
SELECT
    session_id,
    any(provider) AS cell_provider, any(model) AS cell_model, any(service_tier) AS cell_service_tier, any(speed) AS cell_speed,
    any(region) AS cell_region, any(toUnixTimestamp64Nano(at)) AS cell_at, any({{template "cell_prompt"}}) AS cell_input,
    any(valid) AS cell_valid, any(rest) AS cell_rest,
    [{{range $i, $tag := .TagNames}}{{if $i}}, {{end}}any(tags[{tag_{{$i}}:String}]){{end}}]::Array(String) AS cell_tags,
    countIf(NOT rest) AS calls,
    sum(input) AS input_sum, sum(cache_read) AS cache_read_sum, sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum, sum(output) AS output_sum, sum(reasoning) AS reasoning_sum,
    {{- template "part_sums"}},
    countIf(mismatch) AS mismatches
FROM settled_usage
PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
    AND toDate(at) BETWEEN {first_day:Date} AND {last_day:Date}
    AND (empty({days:Array(Date)}) OR (toDate(at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)}))
GROUP BY session_id, class, roundDown({{template "cell_prompt"}} - 1, {tier_starts:Array(Int64)}),
    roundDown(toUnixTimestamp64Nano(at), {price_instants:Array(Int64)}),
    roundDown(toUnixTimestamp64Nano(at) % 86400000000000, {price_times:Array(Int64)}),
    roundDown(toDayOfWeek(at, 1, 'UTC'), {price_weekdays:Array(Int64)})
    {{- range $i, $tag := .TagNames}}, tags[{tag_{{$i}}:String}]{{end}}
