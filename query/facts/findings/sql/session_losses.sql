{{- /* What the streams of some sessions lost or repeated. */ -}}
SELECT
    session_id,
    sum(lost) AS lost_frames,
    sum(repeated) AS repeated_frames,
    sum(not_json + invalid_utf8 + oversize) AS unread_frames,
    toUInt64(uniqExactIf(stream_id, digest != '') - uniqExactIf(digest, digest != '')) AS same_bytes
FROM streams FINAL
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND {{template "current_of_sessions"}}
GROUP BY session_id
