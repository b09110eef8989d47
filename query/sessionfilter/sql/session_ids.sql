{{- /* One page of sessions, in order: their ids and times alone. Everything else
is read for the page's ids only, so that the length of the list costs nothing but
this one pass over narrow columns. A session is known by all of its rows: what
selects one stands behind the grouping, or in a set of ids. */ -}}
{{- /* streams_since: rows of sessions that began in range, none of which is older.
since: facts of sessions that began in range, with a day to spare. */ -}}
{{define "streams_since"}}tenant = {tenant:String} AND {{template "current"}}
    {{- if .Only}} AND session_id IN {only:Array(String)}{{end}}
    {{- if .Floor}} AND first_at >= fromUnixTimestamp64Nano({edge:Int64}, 'UTC'){{end}}
    {{- if .From}} AND first_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC'){{end}}
{{- end}}
{{define "since"}}
    {{- if .Only}} AND session_id IN {only:Array(String)}{{end}}
    {{- if .Floor}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({edge:Int64}, 'UTC')) - 1{{end}}
    {{- if .From}} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1{{end}}
{{- end}}
{{- /* selected: the sessions that a filter names by what stands in some row. */ -}}
{{define "selected"}}
{{- if .Text}}
  AND session_id IN (
      SELECT session_id FROM streams
      WHERE {{template "streams_since" .}}
        AND (positionCaseInsensitiveUTF8(session_id, {text:String}) > 0
             OR positionCaseInsensitiveUTF8(title, {text:String}) > 0
             OR arrayExists(v -> positionCaseInsensitiveUTF8(v, {text:String}) > 0, mapValues(tags))))
{{- end}}
{{- range $i, $tag := .Tags}}
  AND session_id {{if $tag.Without}}NOT {{end}}IN (
      SELECT session_id FROM streams
      WHERE {{template "streams_since" $}}
        AND mapContains(tags, {tag_{{$i}}_key:String})
        {{- if $tag.Without}} AND tags[{tag_{{$i}}_key:String}] != ''
        {{- else if not $tag.AnyValue}} AND tags[{tag_{{$i}}_key:String}] = {tag_{{$i}}_value:String}{{end}})
{{- end}}
{{- if .Dialects}}
  AND session_id IN (
      SELECT session_id FROM streams WHERE {{template "streams_since" .}} AND dialect IN {dialects:Array(String)})
{{- end}}
{{- if or .Labels .Thumbs}}
  AND session_id IN (
      SELECT session_id FROM notes FINAL
      PREWHERE tenant = {tenant:String} AND {{template "visible"}}
      WHERE deleted = 0
      GROUP BY session_id
      HAVING 1
      {{- if .Labels}} AND hasAny(groupUniqArrayArray(labels), {labels:Array(String)}){{end}}
      {{- if .Thumbs}} AND hasAny(groupUniqArray(thumb), {thumbs:Array(String)}){{end}})
{{- end}}
{{- if .Outdated}}
  AND session_id IN (
      SELECT session_id FROM streams WHERE {{template "streams_since" .}} AND decoder_version < {decoders:UInt32})
{{- end}}
{{- if .Agents}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND {{template "current"}} AND agent IN {agents:Array(String)}{{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM messages WHERE tenant = {tenant:String} AND {{template "current"}} AND agent IN {agents:Array(String)}{{template "since" .}}{{template "unnamed" (.Without "agent")}})
{{- end}}
{{- if .Tools}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND {{template "current"}} AND kind = 'tool' AND name IN {tools:Array(String)}{{template "since" .}}
      {{- if .NoToolName}}
      UNION DISTINCT
      {{- template "unnamed_spans" .NamelessTools}}
      {{- end}})
{{- end}}
{{- range .Calls}}
  AND session_id IN (
      {{- template "unnamed_spans" .}})
{{- end}}
{{- if .Models}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND {{template "current"}} AND model IN {models:Array(String)}{{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND {{template "current"}} AND model IN {models:Array(String)}{{template "since" .}}{{template "unnamed" (.Without "model")}})
{{- end}}
{{- if .Providers}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND {{template "current"}} AND provider IN {providers:Array(String)}{{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND {{template "current"}} AND provider IN {providers:Array(String)}{{template "since" .}}{{template "unnamed" (.Without "provider")}})
{{- end}}
{{- if .Runs}}
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND {{template "current"}} AND run_id IN {runs:Array(String)}{{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND {{template "current"}} AND run_id IN {runs:Array(String)}{{template "since" .}}{{template "unnamed" (.Without "run_id")}})
{{- end}}
{{- if .Nodes}}
  AND session_id IN (
      SELECT session_id FROM spans
      WHERE tenant = {tenant:String} AND {{template "current"}} AND kind = 'node'
        AND (name IN {nodes:Array(String)} OR node_id IN {nodes:Array(String)}){{template "since" .}}
      UNION DISTINCT
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND {{template "current"}} AND node_id IN {nodes:Array(String)}{{template "since" .}}{{template "unnamed" (.Without "node_id")}})
{{- end}}
{{- if .ServiceTiers}}
  AND session_id IN (
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND {{template "current"}} AND service_tier IN {service_tiers:Array(String)}{{template "since" .}}{{template "unnamed" (.Without "service_tier")}})
{{- end}}
{{- if .CallStatuses}}
  AND session_id IN (
      SELECT session_id FROM ({{template "merged_spans" (render "spans_with_usage" .)}})
      WHERE span_status IN {call_statuses:Array(String)})
{{- end}}
{{- if .RunStatuses}}
  AND session_id IN (
      SELECT session_id FROM spans
      WHERE tenant = {tenant:String} AND {{template "current"}} AND kind = 'run' AND status IN {run_statuses:Array(String)}{{template "since" .}}
      {{- if .OrCut}}
      UNION DISTINCT
      SELECT session_id FROM streams WHERE tenant = {tenant:String} AND startsWith(end_reason, 'error')
      {{- end}})
{{- end}}
{{- end}}
{{- /* unnamed: the sessions with a usage record that counts in the group without a name. */ -}}
{{define "unnamed"}}
{{- if .}}
      UNION DISTINCT
      SELECT session_id FROM usage FINAL
      WHERE tenant = {tenant:String} AND {{template "current"}}{{template "since" .Shape}}
      GROUP BY session_id, usage_id
      HAVING {{.Last}} = ''
{{- end}}
{{- end}}
{{- /* unnamed_spans: the sessions with a span of a kind that no stream names. */ -}}
{{define "unnamed_spans"}}
      SELECT session_id FROM spans
      WHERE tenant = {tenant:String} AND {{template "current"}} AND kind = '{{.Kind}}'{{template "since" .Shape}}
      GROUP BY session_id, span_id
      HAVING max({{.Column}}) = ''
{{- end}}
{{define "spans_with_usage"}}PREWHERE tenant = {tenant:String} AND {{template "current"}}{{template "since" .}}
          AND (session_id, span_id) IN (
              SELECT session_id, span_id FROM usage WHERE tenant = {tenant:String} AND {{template "current"}}{{template "since" .}})
{{- end}}
{{define "session_rows"}}tenant = {tenant:String} AND {{template "current"}}
{{- if .Only}}
  AND session_id IN {only:Array(String)}
{{- end}}
{{- if .Few}}
  AND session_id IN {among:Array(String)}
{{- else if .Edge}}
  AND session_id IN (
      SELECT session_id FROM streams
      WHERE tenant = {tenant:String} AND {{.Time}} {{if .Descending}}>={{else}}<={{end}} fromUnixTimestamp64Nano({edge:Int64}, 'UTC'){{template "from_begin" .}})
{{- end}}
{{- template "selected" .}}
{{- end}}
SELECT
    session_id, started_ns, last_ns, oldest_stream_s,
    {{.SortKey}} AS sort_key
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(first_at)) AS started_ns,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
        {{- if .Lengths}}
        toUnixTimestamp64Nano(max(greatest(first_at, last_at, ended))) AS end_ns,
        {{- end}}
        toInt64({{if .Edge}}toUnixTimestamp(min(stream_started)){{else}}0{{end}}) AS oldest_stream_s
        {{- if .Tokens}},
        any(session_tokens) AS tokens
        {{- end}}
    FROM streams
    {{- if .Tokens}}
    {{if .MinTokens}}INNER{{else}}LEFT ANY{{end}} JOIN ({{template "session_tokens" .}}) AS spent ON streams.session_id = spent.session_id
    {{- end}}
    WHERE {{template "session_rows" .}}
    {{- if .Apart}}
      AND cityHash64(session_id) IN {several:Array(UInt64)}
    {{- end}}
    GROUP BY session_id
    {{- if .Apart}}
    UNION ALL
    SELECT session_id, toUnixTimestamp64Nano(first_at), toUnixTimestamp64Nano(greatest(first_at, last_at)),
        {{- if .Lengths}} toUnixTimestamp64Nano(greatest(first_at, last_at, ended)),{{end}} toInt64(0)
    FROM streams
    WHERE {{template "session_rows" .}}
      AND cityHash64(session_id) NOT IN {several:Array(UInt64)}
    {{- end}}) AS sessions
{{- if .Cost}}
{{if .KnownCost}}INNER{{else}}LEFT ANY{{end}} JOIN (SELECT session_id, toNullable(session_cost) AS known_cost FROM ({{template "session_costs" .}})) AS priced USING (session_id)
{{- end}}
WHERE 1
{{- if .Edge}}
   AND sort_key {{if .Descending}}>{{else}}<{{end}} {edge:Int64}
{{- end}}
{{- if .From}}
   AND started_ns >= {from:Int64}
{{- end}}
{{- if .To}}
   AND started_ns < {to:Int64}
{{- end}}
{{- if .MinDuration}}
   AND {{.Duration}} >= {min_duration:Int64}
{{- end}}
{{- if .MaxDuration}}
   AND {{.Duration}} <= {max_duration:Int64}
{{- end}}
{{- if .MinTokens}}
   AND tokens >= {min_tokens:Int64}
{{- end}}
{{- if .MaxTokens}}
   AND tokens <= {max_tokens:Int64}
{{- end}}
{{- if .MinCost}}
   AND known_cost >= {min_cost:Decimal(38, 18)}
{{- end}}
{{- if .MaxCost}}
   AND known_cost <= {max_cost:Decimal(38, 18)}
{{- end}}
{{- if .After}}
   AND (sort_key, session_id) {{if .Descending}}<{{else}}>{{end}} ({after_key:Int64}, {after_id:String})
{{- end}}
ORDER BY sort_key{{if .Descending}} DESC{{end}}, session_id{{if .Descending}} DESC{{end}}
LIMIT {limit:UInt64}
