{{- /* define only: the rows of streams and facts that count. Of a stream's part in a
session which was decoded anew that is the generation that redecodes names, and
what the recorder told of parts which came later; of any other, generation 0. What was
deleted does not count (schema/tombstone). All
of it is of the key or the same in every version of a row, so it may stand in
PREWHERE before FINAL. Where nothing was decoded anew the counts, which are
constants by then, leave "generation = 0" of it. */ -}}
{{define "current"}}{{template "current_among" ""}}{{end}}
{{define "current_of_sessions"}}{{template "current_among" " AND session_id IN {sessions:Array(String)}"}}{{end}}
{{define "current_among"}}{{visible .}}
        AND (generation = 0 AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}{{.}}) = 0
            OR (session_id, stream_id, first_seq) NOT IN (
                SELECT session_id, stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String}{{.}}))
        OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}{{.}}) > 0
            AND (session_id, stream_id, generation) IN (
                SELECT session_id, stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String}{{.}}))
{{- end}}
