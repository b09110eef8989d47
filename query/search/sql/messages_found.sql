{{- /* Some messages, whole, as a transcript shows them: of the streams' views the one in front,
if it has the phrases that are searched for. */ -}}
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
    session_id, stream_id, fact_id, seen_seq, kind, name AS tool, agent, span_id, run_id, text, media = 'json' AS is_json,
    complete, toUnixTimestamp64Nano(started) AS started_ns, chunk_at, chunk_end
FROM (
    SELECT *, message_id AS fact_id, terms
    FROM messages FINAL
    PREWHERE {{template "in_found" .}}
        AND message_id IN {facts:Array(String)}
    ORDER BY session_id, message_id, complete DESC, length(text) DESC, version DESC, stream_id DESC, seen_seq DESC
    LIMIT 1 BY session_id, message_id)
{{- template "with_phrases" .}}
