{{- /* The frames that first spoke of some spans. */ -}}
SELECT
    session_id, span_id,
    argMin(stream_id, (seen_at, stream_id, seen_seq)) AS first_stream,
    argMin(seen_seq, (seen_at, stream_id, seen_seq)) AS first_frame
FROM spans
WHERE {{template "in_sessions"}} AND span_id IN {spans:Array(String)}
GROUP BY session_id, span_id
