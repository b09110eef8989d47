{{- /* What the spans say of how some sessions ended. */ -}}
{{template "span_ends" (render "ended_spans" .)}}
{{- define "ended_spans"}}
            SELECT *, transform(session_id, {sessions:Array(String)}, {last:Array(Int64)}, toInt64(0)) AS session_last_ns
            FROM ({{template "spans_with_errors" (print "PREWHERE " (render "in_page" .))}})
{{- end}}
