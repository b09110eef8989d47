{{- /* define only: the frames of one session. */ -}}
{{define "stored_frames"}}tenant = {tenant:String} AND session_id = {session:String}
  AND {{template "visible_of_session"}}
{{- end}}
