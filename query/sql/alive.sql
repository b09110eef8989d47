{{- /* define only: whether the recorder of a stream that has not ended is alive: it
has a valid heartbeat, or the stream's last frame (the dot, in ns) is recent enough,
which is an hour for a recorder without an id. */ -}}
{{define "alive"}}(stream_recorder IN {recorders:Array(String)}
        OR {{.}} >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64}))
{{- end}}
