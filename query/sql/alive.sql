{{- /* define only: whether the recorder of a stream that has not ended lives. It is
one that was heard of; where that cannot be said, of a recorder that has no id or of
one that is not known so far, the stream's last frame (the dot, in ns) is recent. */ -}}
{{define "alive"}}(stream_recorder IN {recorders:Array(String)}
        OR {{.}} >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64}))
{{- end}}
