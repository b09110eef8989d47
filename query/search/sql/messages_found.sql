{{- /* Some messages as a transcript shows them: of the streams' views the one in front, if it
has the phrases that are searched for. Unless whole, long texts are left out. */ -}}
{{- define "in_found"}}tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        {{- if .Days}}
        AND (toDate(seen_at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)})
        {{- end}}
        AND {{template "current_of_sessions"}}
{{- end -}}
{{- define "with_phrases"}}
{{- range $i, $name := .Phrases}}
{{if $i}}  AND{{else}}WHERE{{end}} hasPhrase(terms, { {{- $name}}:String})
{{- end}}
{{- end -}}
SELECT
    session_id, stream_id, fact_id, seen_seq, kind, name AS tool, agent, span_id, run_id, media = 'json' AS is_json, complete,
    toUnixTimestamp64Nano(started) AS started_ns, length(text) + 12 * length(chunk_at) AS size,
{{- if .Whole}}
    text AS shown, chunk_at AS shown_at, chunk_end AS shown_end
{{- else}}
    if(size > {short:UInt64}, '', text) AS shown, if(size > {short:UInt64}, [], chunk_at) AS shown_at, if(size > {short:UInt64}, [], chunk_end) AS shown_end
{{- end}}
FROM (
    SELECT *, message_id AS fact_id, terms
    FROM messages FINAL
    PREWHERE {{template "in_found" .}}
        AND message_id IN {facts:Array(String)}
    ORDER BY session_id, message_id, complete DESC, length(text) DESC, started, version DESC, stream_id DESC, seen_seq DESC
    LIMIT 1 BY session_id, message_id)
{{- template "with_phrases" .}}
