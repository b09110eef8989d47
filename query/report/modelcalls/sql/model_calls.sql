{{- /* define only: a row for each call of a model. */ -}}
{{- /* call_columns: the columns of settled_calls under the names of these statements. */ -}}
{{define "call_columns"}}session_id, span_id, stream_id AS first_stream, seq AS first_frame, run_id,
        model AS call_model, provider AS call_provider, agent AS call_agent, status AS call_status, stop_reason, error AS call_error, http_status,
        started_ns, ended_ns, first_token_ns, toUnixTimestamp64Nano(at) AS seen_ns, retry, output_tokens, all_tokens,
        chunks, gaps, spread_ns, longest_ns, longest_from_ns
{{- end}}
{{define "model_calls"}}{{template "sessions_of_calls" .}}
    SELECT *,
        multiIf(
            lower(stop_reason) IN {truncating:Array(String)}, 'truncated',
            lower(stop_reason) IN {refusing:Array(String)}, 'refused',
            call_status IN ('', 'open', 'waiting'), 'open',
            call_status) AS outcome,
        started_ns != 0 AND first_token_ns > started_ns AS has_first_token,
        first_token_ns - started_ns AS first_token_took,
        call_status IN ('ok', 'error', 'cancelled') AND started_ns != 0 AND ended_ns > started_ns AS has_duration,
        ended_ns - started_ns AS took_ns,
        chunks > 1 AS streamed,
        if(longest_ns > {stall:Int64}, toUInt64(arrayCount(g -> g > {stall:Int64}, gaps)), 0) AS stalls,
        -- The first chunk is output before the time that is measured: the rate is of what follows it.
        streamed AND output_tokens > 0 AND spread_ns > 0 AS has_rate,
        if(has_rate, output_tokens / (spread_ns / 1e9), 0) AS rate
    FROM ({{template "counted_calls" (.Counted (render "call_columns" .) (render "counted_where" .) (render "among" .) "")}})
    WHERE 1
    {{- if .From}} AND seen_ns >= {from:Int64}{{end}}
    {{- if .To}} AND seen_ns < {to:Int64}{{end}}
    {{- if .Models}} AND call_model IN {models:Array(String)}{{end}}
    {{- if .Providers}} AND call_provider IN {providers:Array(String)}{{end}}
    {{- if .Agents}} AND call_agent IN {agents:Array(String)}{{end}}
    {{- if .Outcomes}} AND outcome IN {outcomes:Array(String)}{{end}}
{{- end}}
