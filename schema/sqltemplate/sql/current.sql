{{- /* define only: the rows of streams and facts that count. Of a stream's segment in a
session that was decoded anew, the generation that redecodes names counts, and the
recorder's rows of later segments; of any other stream, generation 0. Deleted rows do not
count (visible.sql). What is superseded and what counts are read as one set, since a switch
between two reads would show both generations, or neither. All columns are of the key or
the same in every version of a row, so the condition may stand in PREWHERE before FINAL.
Where nothing was decoded anew the counts, which are constants by then, leave
"generation = 0" of it. */ -}}
{{define "current"}}{{template "current_among" ""}}{{end}}
{{define "current_of_session"}}{{template "current_among" " AND session_id = {session:String}"}}{{end}}
{{define "current_of_sessions"}}{{template "current_among" " AND session_id IN {sessions:Array(String)}"}}{{end}}
{{define "current_among"}}{{template "visible_among" .}}
        AND {{template "generation_among" .}}
{{- end}}
{{- /* generation_among: the part of "current" about generations. */ -}}
{{define "generation_among"}}((SELECT count() FROM redecodes WHERE tenant = {tenant:String}{{.}}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}{{.}}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String}{{.}}))))
{{- end}}
