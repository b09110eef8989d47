{{- /* define only: usage records as reports count them, in the columns of settled_usage. What is
settled is read from there; what changed since is made in the same way from the tables that the
sink writes. */ -}}
{{- /* made_usage: the rows of records. Records of the rows Plain stand in one row each and say what
they add; those of the rows Care go through careful_usage. Each of the two may be missing. Tags
are those of the stream that reported a record, else of the first stream of its session that has
the tag; Streams are the streams of the sessions. */ -}}
{{define "made_columns"}}session_id, stream_id, usage_id, scope, span_id, run_id, node_id, agent, model, provider, service_tier, speed, region, dialect,
        stated_cost, stated_currency{{end}}
{{define "charge_columns"}}version, mode, requested_model, request_id, message_id{{end}}
{{define "made_usage"}}
SELECT
    records.session_id AS session_id, records.stream_id AS stream_id, fromUnixTimestamp64Nano(at_ns, 'UTC') AS at, startsWith(scope, 'rest:')::Bool AS rest,
    span_id, run_id, node_id, toLowCardinality(agent) AS agent, toLowCardinality(dialect) AS dialect, {{template "class"}} AS class,
    toLowCardinality(provider) AS provider, toLowCardinality(model) AS model, toLowCardinality(service_tier) AS service_tier,
    toLowCardinality(speed) AS speed, toLowCardinality(region) AS region, {{template "cell_is_valid"}}::Bool AS valid,
    (stated != 0 AND stated != counted)::Bool AS mismatch, stated_cost, toLowCardinality(stated_currency) AS stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}},
    mapUpdate(of_sessions.tags, of_streams.tags) AS tags
{{template "made_records" .}}
{{- end}}
{{define "made_records" -}}
FROM (
    {{- if .Plain}}
    SELECT {{template "made_columns"}}, toUnixTimestamp64Nano(at) AS at_ns, total AS stated,
        usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h + usage.output + usage.reasoning AS counted,
        toInt64(usage.input) AS input, toInt64(usage.cache_read) AS cache_read,
        toInt64(usage.cache_write_5m) AS cache_write_5m, toInt64(usage.cache_write_1h) AS cache_write_1h,
        toInt64(usage.output) AS output, toInt64(usage.reasoning) AS reasoning,
{{- template "added_parts"}}
        {{- if .Charges}},
        toInt64(usage.web_fetches) AS web_fetches, {{template "charge_columns"}}
        {{- end}}
    FROM usage
    WHERE {{.Plain}}
    {{- end}}
    {{- if and .Plain .Care}}
    UNION ALL
    {{- end}}
    {{- if .Care}}
    SELECT {{template "made_columns"}}, at_ns, stated, counted,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}
        {{- if .Charges}},
        web_fetches, {{template "charge_columns"}}
        {{- end}}
    FROM ({{template "careful_usage" (print "PREWHERE " .Care)}})
    {{- end}}
) AS records
LEFT JOIN (
    SELECT session_id, mapFromArrays(groupArray(tag), groupArray(value))::Map(LowCardinality(String), String) AS tags
    FROM (
        SELECT session_id, tag, argMin(value, (first_at, stream_id)) AS value
        FROM streams
        ARRAY JOIN mapKeys(tags)::Array(String) AS tag, mapValues(tags) AS value
        WHERE tenant = {tenant:String}{{.Streams}}
        GROUP BY session_id, tag)
    GROUP BY session_id
) AS of_sessions ON records.session_id = of_sessions.session_id
LEFT JOIN (
    SELECT session_id, stream_id, mapFromArrays(groupArray(tag), groupArray(value))::Map(LowCardinality(String), String) AS tags
    FROM (
        SELECT session_id, stream_id, tag, max(value) AS value
        FROM streams
        ARRAY JOIN mapKeys(tags)::Array(String) AS tag, mapValues(tags) AS value
        WHERE tenant = {tenant:String}{{.Streams}}
        GROUP BY session_id, stream_id, tag
        HAVING value != '')
    GROUP BY session_id, stream_id
) AS of_streams ON records.session_id = of_streams.session_id AND records.stream_id = of_streams.stream_id
{{- if .Charges}}
LEFT JOIN (
    SELECT session_id, stream_id, argMax(tags, (first_seq, version))::Map(LowCardinality(String), String) AS tags
    FROM streams
    WHERE tenant = {tenant:String}{{.Streams}}
    GROUP BY session_id, stream_id
) AS of_last ON records.session_id = of_last.session_id AND records.stream_id = of_last.stream_id
{{- end}}
WHERE {{template "counts"}}
{{- end}}
{{- /* counts: leaves out the records of spans whose call another record states. */ -}}
{{define "counts"}}((SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0 OR NOT ({{template "is_duplicate" "records."}}))
{{- end}}
{{- /* is_duplicate: the condition that a record is such a one. The dot is the name of the records with a dot, or nothing. */ -}}
{{define "is_duplicate"}}({{.}}session_id, usage_id) IN (
        SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1){{end}}
{{- /* made_charges: the same records in the columns of settled_charges. Charges must be set. tags are
what a charge shows, which are those of the last row of the stream; prices depend on cell_tags. */ -}}
{{define "settled_charge_columns"}}session_id, stream_id, usage_id, at, version, scope, mode, span_id, run_id, node_id, agent, dialect,
    provider, model, requested_model, service_tier, speed, region, request_id, message_id, stated, mismatch, stated_cost, stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, web_fetches, tags, cell_tags{{end}}
{{define "made_charges"}}
SELECT
    records.session_id AS session_id, records.stream_id AS stream_id, usage_id, fromUnixTimestamp64Nano(at_ns, 'UTC') AS at, version, scope,
    toLowCardinality(mode) AS mode, span_id, run_id, node_id, toLowCardinality(agent) AS agent, toLowCardinality(dialect) AS dialect,
    toLowCardinality(provider) AS provider, toLowCardinality(model) AS model, toLowCardinality(requested_model) AS requested_model,
    toLowCardinality(service_tier) AS service_tier, toLowCardinality(speed) AS speed, toLowCardinality(region) AS region,
    request_id, message_id, stated, (stated != 0 AND stated != counted)::Bool AS mismatch, stated_cost, toLowCardinality(stated_currency) AS stated_currency,
    input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, web_fetches,
    mapFilter((tag, value) -> value != '', mapUpdate(of_sessions.tags, mapFilter((tag, value) -> value != '', of_last.tags))) AS tags,
    mapUpdate(of_sessions.tags, of_streams.tags) AS cell_tags
{{template "made_records" .}}
{{- end}}
{{- /* counted_usage: Columns of the settled rows that are in Where, and of those made of Rows of the
table usage. Without a settlement (All), all rows are made. */ -}}
{{define "counted_usage"}}
    {{- if .Settled}}
    SELECT {{.Columns}}
    FROM settled_usage AS records
    PREWHERE batch IN {batches:Array(String)} AND tenant = {tenant:String}{{.Where}}{{template "settled_mask" .}}
    {{- end}}
    {{- if and .Settled .Unsettled}}
    UNION ALL
    {{- end}}
    {{- if .Unsettled}}
    SELECT {{.Columns}}
    FROM ({{template "made_usage" (.Made (render "counted_plain" .) (render "counted_care" .))}}) AS records
    {{- end}}
{{- end}}
{{define "counted_rows"}}tenant = {tenant:String} AND {{if .OfSessions}}{{template "current_of_sessions"}}{{else}}{{template "current"}}{{end}}{{.Rows}}{{end}}
{{define "counted_plain"}}{{template "counted_rows" .}}
        AND session_id NOT IN ({{template "repeating_sessions" .}}){{end}}
{{define "counted_care"}}{{template "counted_rows" .}}
        AND session_id IN ({{if .All}}{{template "repeating_sessions" .}}{{else}}SELECT session_id FROM unsettled_sessions{{end}}){{end}}
{{- /* repeating_sessions: sessions with a record that stands in several rows, or with running totals. */ -}}
{{define "repeating_sessions"}}SELECT session_id FROM usage
            WHERE {{template "counted_rows" .}}
            GROUP BY session_id
            HAVING uniqExact(cityHash64(usage_id)) != count() OR countIf(mode = 'running') > 0
{{- end}}
{{- /* settled_mask: leaves out the rows of batches that do not count. */ -}}
{{define "settled_mask"}}
        {{- if .Unsettled}} AND session_id NOT IN (SELECT session_id FROM unsettled_sessions){{end}}
        {{- if .Remade}} AND (batch = {recent:String} OR session_id NOT IN (SELECT session_id FROM made_sessions)){{end}}
{{- end}}
{{- /* counted_cell: a hash of all on which the price of a record depends. The dot is the names of the
tags on which prices depend. */ -}}
{{define "counted_cell"}}cityHash64(class, roundDown({{template "cell_prompt"}} - 1, {tier_starts:Array(Int64)}),
        roundDown(toUnixTimestamp64Nano(at), {price_instants:Array(Int64)}),
        roundDown(toUnixTimestamp64Nano(at) % 86400000000000, {price_times:Array(Int64)}),
        roundDown(toDayOfWeek(at, 1, 'UTC'), {price_weekdays:Array(Int64)})
        {{- range $i, $tag := .}}, tags[{tag_{{$i}}:String}]{{end}})
{{- end}}
{{- /* counted_sums: the columns of a cell, and what its records add up to. The dot is as above. */ -}}
{{define "counted_sums"}}any(provider) AS cell_provider, any(model) AS cell_model, any(service_tier) AS cell_service_tier, any(speed) AS cell_speed,
    any(region) AS cell_region, any(toUnixTimestamp64Nano(at)) AS cell_at, any({{template "cell_prompt"}}) AS cell_input,
    any(valid) AS cell_valid, any(rest) AS cell_rest,
    [{{range $i, $tag := .}}{{if $i}}, {{end}}any(tags[{tag_{{$i}}:String}]){{end}}]::Array(String) AS cell_tags,
    countIf(NOT rest) AS calls,
    sum(input) AS input_sum, sum(cache_read) AS cache_read_sum, sum(cache_write_5m) AS cache_write_5m_sum,
    sum(cache_write_1h) AS cache_write_1h_sum, sum(output) AS output_sum, sum(reasoning) AS reasoning_sum,
    {{- template "part_sums"}},
    countIf(mismatch) AS mismatches
{{- end}}
{{- /* counted_all: all columns that cells need. */ -}}
{{define "counted_all"}}session_id, stream_id, at, rest, class, provider, model, service_tier, speed, region, valid, mismatch,
        input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}, tags{{end}}
