{{- /* Deletes from one table what the new generation supersedes. Of frames, those that
came meanwhile stay; of facts and streams, those of segments that came meanwhile. The ids
are UUIDs and need no quoting. */ -}}
{{if .Erase}}ALTER TABLE {{.Table}} DELETE{{else}}DELETE FROM {{.Table}}{{end}} WHERE tenant = {tenant:String} AND session_id = {session:String} AND generation < {generation:UInt64} AND (
{{- range $i, $s := .Streams}}{{if $i}} OR {{end -}}
stream_id = '{{$s.ID}}' AND {{if $.Frames}}seq <= {{$s.Last}}{{else}}(generation > 0 OR has({{$s.Segments}}, first_seq)){{end}}
{{- end}})
