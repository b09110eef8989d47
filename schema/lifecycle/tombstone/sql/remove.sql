{{- /* Deletes the rows of a table that a tombstone covers. */ -}}
DELETE FROM {{.}}
WHERE {{template "covered"}}
{{- define "covered"}}tenant = {tenant:String} AND session_id = {session:String}
AND (stream_id <= {until:String} OR stream_id IN {streams:Array(String)}) AND stream_id NOT IN {restored:Array(String)}
{{- end}}
