{{- /* Notes, the latest first: of one session, or those that pass a filter. */ -}}
SELECT
    session_id, stream_id, note_id, version, span_id, toUnixTimestamp64Nano(at) AS at_ns, text, labels, thumb, author,
    toUnixTimestamp64Nano(written_at) AS written_ns
FROM notes FINAL
PREWHERE tenant = {tenant:String}
    {{- if .Session}} AND session_id = {session:String} AND {{template "visible_of_session"}}
    {{- else}} AND {{template "visible"}}
    {{- end}}
WHERE deleted = 0
    {{- if .ID}} AND note_id = {id:String}{{end}}
    {{- if .Text}} AND positionCaseInsensitiveUTF8(text, {text:String}) > 0{{end}}
    {{- if .Labels}} AND hasAny(labels, {labels:Array(String)}){{end}}
    {{- if .Thumb}} AND thumb = {thumb:String}{{end}}
    {{- if .Author}} AND author = {author:String}{{end}}
    {{- if .From}} AND written_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
    {{- if .To}} AND written_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC'){{end}}
    {{- if .After}} AND (written_at, note_id) < (fromUnixTimestamp64Nano({after_key:Int64}, 'UTC'), {after_id:String}){{end}}
ORDER BY written_at DESC, note_id DESC
LIMIT {limit:UInt64}
