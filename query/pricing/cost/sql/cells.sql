{{- /* define only: usage records by cells, of rows named records that have a provider, a
model, at_ns, scope, the token buckets and parts: tokens by modality, which the buckets
contain, and uses of tools that the provider runs. A cell_prompt is all input of a record,
cache included: by it a tier holds. Records are apart by what of them a model may have no
price for: input, output, and tokens of each modality that came from a cache. */ -}}
{{define "parts"}}input_audio, input_image, input_video, cache_read_audio, cache_read_image, cache_read_video, output_audio, output_image, output_video, web_searches, code_executions{{end}}
{{define "added_parts"}}
    toInt64(usage.input_audio) AS input_audio,
    toInt64(usage.input_image) AS input_image,
    toInt64(usage.input_video) AS input_video,
    toInt64(usage.cache_read_audio) AS cache_read_audio,
    toInt64(usage.cache_read_image) AS cache_read_image,
    toInt64(usage.cache_read_video) AS cache_read_video,
    toInt64(usage.output_audio) AS output_audio,
    toInt64(usage.output_image) AS output_image,
    toInt64(usage.output_video) AS output_video,
    toInt64(usage.web_searches) AS web_searches,
    toInt64(usage.code_executions) AS code_executions
{{- end}}
{{define "part_sums"}}
    sum(input_audio) AS input_audio_sum,
    sum(input_image) AS input_image_sum,
    sum(input_video) AS input_video_sum,
    sum(cache_read_audio) AS cache_read_audio_sum,
    sum(cache_read_image) AS cache_read_image_sum,
    sum(cache_read_video) AS cache_read_video_sum,
    sum(output_audio) AS output_audio_sum,
    sum(output_image) AS output_image_sum,
    sum(output_video) AS output_video_sum,
    sum(web_searches) AS web_searches_sum,
    sum(code_executions) AS code_executions_sum
{{- end}}
{{define "record_parts"}}input_audio AS input_audio_sum, input_image AS input_image_sum, input_video AS input_video_sum, cache_read_audio AS cache_read_audio_sum, cache_read_image AS cache_read_image_sum, cache_read_video AS cache_read_video_sum, output_audio AS output_audio_sum, output_image AS output_image_sum, output_video AS output_video_sum, web_searches AS web_searches_sum, code_executions AS code_executions_sum{{end}}
{{define "cell_is_valid"}}(least(input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, {{template "parts"}}) >= 0
        AND input_audio + input_image + input_video <= input
        AND cache_read_audio + cache_read_image + cache_read_video <= cache_read
        AND output_audio + output_image + output_video <= output)
{{- end}}
{{define "cell_prompt"}}(input + cache_read + cache_write_5m + cache_write_1h){{end}}
{{- /* The first day of the epoch is a Thursday; 0 is Monday. */ -}}
{{define "cell_weekday"}}(intDiv(at_ns, 86400000000000) + 3) % 7{{end}}
{{define "cell_keys"}}records.provider, records.model, records.service_tier, records.speed, records.region,
    roundDown({{template "cell_prompt"}} - 1, {tier_starts:Array(Int64)}),
    roundDown(at_ns, {price_instants:Array(Int64)}),
    roundDown(at_ns % 86400000000000, {price_times:Array(Int64)}),
    roundDown({{template "cell_weekday"}}, {price_weekdays:Array(Int64)}),
    {{template "cell_prompt"}} != 0, output + reasoning != 0,
    (cache_read_audio != 0) + 2 * (cache_read_image != 0) + 4 * (cache_read_video != 0),
    {{template "cell_is_valid"}},
    startsWith(scope, 'rest:')
{{- end}}
{{- /* The dot of cell_columns and cell_tags is the SQL of the values of tags. */ -}}
{{define "cell_tags"}}{{range .}}, {{.}}{{end}}{{end}}
{{define "cell_columns"}}any(records.provider) AS cell_provider,
    any(records.model) AS cell_model,
    any(records.service_tier) AS cell_service_tier,
    any(records.speed) AS cell_speed,
    any(records.region) AS cell_region,
    any(at_ns) AS cell_at,
    any({{template "cell_prompt"}}) AS cell_input,
    any({{template "cell_is_valid"}})::Bool AS cell_valid,
    any(startsWith(scope, 'rest:'))::Bool AS cell_rest,
    [{{range $i, $value := .}}{{if $i}}, {{end}}any({{$value}}){{end}}]::Array(String) AS cell_tags
{{- end}}
