{{- /* What some spans state as their errors: of the streams' views the one in front, if it has
the phrases that are searched for. Unless whole, long texts are left out. */ -}}
SELECT
    session_id, stream_id, span_id AS fact_id, seen_seq, 'error' AS kind, if(spans.kind = 'tool', name, '') AS tool, agent, span_id, run_id,
    length(error) AS size, {{if .Whole}}error{{else}}if(size > {short:UInt64}, '', error){{end}} AS shown, false AS is_json,
    true AS complete, toUnixTimestamp64Nano(if(ended > started, ended, seen_at)) AS started_ns,
    []::Array(Int64) AS shown_at, []::Array(UInt32) AS shown_end
FROM (
    SELECT *, terms, {{template "span_rank"}}
    FROM spans FINAL
    PREWHERE {{template "in_found" .}}
        AND span_id IN {facts:Array(String)}
    ORDER BY session_id, span_id, rank DESC
    LIMIT 1 BY session_id, span_id) AS spans
{{- template "with_phrases" .}}
