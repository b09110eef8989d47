{{- /* One page of sessions, in order: their ids and times alone. Everything else
is read for the page's ids only, so that the length of the list costs nothing but
this one pass over narrow columns. A session is known by all of its rows: what
selects one stands in HAVING, or in a set of ids. */ -}}
{{- /* since: facts of sessions that began in range, with a day to spare. */ -}}
{{define "since"}}
    {{- if .Floor}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({floor:Int64}, 'UTC')) - 1{{end}}
    {{- if .From}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1{{end}}
{{- end}}
SELECT
    session_id,
    toUnixTimestamp64Nano(min(first_at)) AS started_ns,
    toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
    {{.SortKey}} AS sort_key
FROM streams
WHERE tenant = {tenant:String}
{{- if .Floor}}
  AND session_id IN (
      SELECT session_id FROM streams
      WHERE tenant = {tenant:String} AND first_at >= fromUnixTimestamp64Nano({floor:Int64}, 'UTC')
      {{- if .Ceiling}} AND first_at <= fromUnixTimestamp64Nano({ceiling:Int64}, 'UTC'){{end}})
{{- end}}
{{- if .Agents}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND agent IN {agents:Array(String)}{{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM messages WHERE tenant = {tenant:String} AND agent IN {agents:Array(String)}{{template "since" .}})
{{- end}}
{{- if .Tools}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND kind = 'tool' AND name IN {tools:Array(String)}{{template "since" .}})
{{- end}}
{{- if .Models}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND model IN {models:Array(String)}{{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND model IN {models:Array(String)}{{template "since" .}})
{{- end}}
{{- if .RunStatuses}}
  AND session_id IN (
      SELECT session_id FROM spans
      WHERE tenant = {tenant:String} AND kind = 'run' AND status IN {run_statuses:Array(String)}{{template "since" .}}
      {{- if .OrCut}}
      UNION DISTINCT
      SELECT session_id FROM streams WHERE tenant = {tenant:String} AND startsWith(end_reason, 'error')
      {{- end}})
{{- end}}
GROUP BY session_id
HAVING 1
{{- if .Floor}}
   AND started_ns > {floor:Int64}
{{- end}}
{{- if .From}}
   AND started_ns >= {from:Int64}
{{- end}}
{{- if .To}}
   AND started_ns < {to:Int64}
{{- end}}
{{- if .LiveSince}}
   AND last_ns >= {live_since:Int64}
{{- end}}
{{- if .Text}}
   AND (positionCaseInsensitiveUTF8(session_id, {text:String}) > 0
        OR max(positionCaseInsensitiveUTF8(title, {text:String}) > 0
               OR arrayExists(v -> positionCaseInsensitiveUTF8(v, {text:String}) > 0, mapValues(tags))))
{{- end}}
{{- range $i, $tag := .Tags}}
   AND max({{if $tag.AnyValue}}mapContains(tags, {tag_{{$i}}_key:String}){{else}}mapContains(tags, {tag_{{$i}}_key:String}) AND tags[{tag_{{$i}}_key:String}] = {tag_{{$i}}_value:String}{{end}})
{{- end}}
{{- if .After}}
   AND (sort_key, session_id) {{if .Descending}}<{{else}}>{{end}} ({after_key:Int64}, {after_id:String})
{{- end}}
ORDER BY sort_key{{if .Descending}} DESC{{end}}, session_id{{if .Descending}} DESC{{end}}
LIMIT {limit:UInt64}
