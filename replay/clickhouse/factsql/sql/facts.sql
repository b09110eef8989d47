{{- /* define only: what all facts have. Facts are first seen with a frame of the session,
so that only its days are read. */ -}}
{{define "fact_columns"}}stream_id, first_seq, {{.}}, run_id, node_id, agent, toUnixTimestamp64Nano(seen_at), seen_seq, version{{end}}
{{define "of_session"}}FINAL WHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "current_of_session"}}
  AND toDate(seen_at) BETWEEN toDate(fromUnixTimestamp64Nano({first:Int64}, 'UTC')) AND toDate(fromUnixTimestamp64Nano({last:Int64}, 'UTC'))
{{- if .Kinds}} AND kind IN {kinds:Array(String)}{{end}}
{{- end}}
