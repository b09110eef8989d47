{{- /* define only: what records of a cell have in common, as a hash, but for their tokens, time
and tags; and by what else the records of each model are apart (ModelSplits). */ -}}
{{define "class"}}sipHash128(provider, model, service_tier, speed, region, {{template "cell_prompt"}} != 0, output + reasoning != 0,
        (cache_read_audio != 0) + 2 * (cache_read_image != 0) + 4 * (cache_read_video != 0),
        {{template "cell_is_valid"}}, startsWith(scope, 'rest:'))
{{- end}}
{{define "model_splits"}}
{{- if .Tiers}},
    multiIf({{range $i, $of := .Tiers}}records.model IN {tiers_of_{{$i}}:Array(String)}, roundDown({{template "cell_prompt"}} - 1, {tiers_{{$i}}:Array(Int64)}), {{end}}0)
{{- end}}
{{- if .Instants}},
    multiIf({{range $i, $of := .Instants}}records.model IN {instants_of_{{$i}}:Array(String)}, roundDown(at_ns, {instants_{{$i}}:Array(Int64)}), {{end}}0)
{{- end}}
{{- if .Weekdays}},
    multiIf({{range $i, $of := .Weekdays}}records.model IN {weekdays_of_{{$i}}:Array(String)}, roundDown({{template "cell_weekday"}}, {weekdays_{{$i}}:Array(Int64)}), {{end}}0)
{{- end}}
{{- if .Times}},
    multiIf({{range $i, $of := .Times}}records.model IN {times_of_{{$i}}:Array(String)}, roundDown(at_ns % 86400000000000, {times_{{$i}}:Array(Int64)}), {{end}}0)
{{- end}}
{{- end}}
