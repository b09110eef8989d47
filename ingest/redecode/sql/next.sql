{{- /* The next number that has a frame. */ -}}
SELECT min(seq), count() {{template "of_stream"}}
