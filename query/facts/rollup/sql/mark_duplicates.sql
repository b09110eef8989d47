{{- /* Marks the usage records of spans of a tenant whose call a record of a recorded stream states too, and takes
back the marks that do not hold any more. An id that the provider gave identifies the call; an id
of fewer than 20 characters, such as that of a server that counts, does not. A record under the
id of the span's record in the same session is the same record, which reports merge. The dot
selects the records: all, or those that changed sessions have or share an id with, and with
Marked those that have marks. A mark has a higher version than the one before, also by a clock
that is behind. */ -}}
INSERT INTO duplicate_usage (tenant, session_id, stream_id, usage_id, version, duplicate)
SELECT {tenant:String}, stated.session_id, stated.stream_id, stated.usage_id, greatest({version:UInt64}, max(marks.version) + 1),
    max(recorded.found = 1 AND own.found = 0) AS is_duplicate
FROM (
    SELECT DISTINCT session_id, stream_id, usage_id, arrayJoin([message_id, request_id]) AS id FROM usage
    WHERE {{template "candidate" .}} AND {{template "current"}}) AS stated
LEFT JOIN (
    SELECT DISTINCT arrayJoin([message_id, request_id]) AS id, toUInt8(1) AS found FROM usage
    WHERE {{template "recorded"}} AND {{template "current"}} AND id IN (
        SELECT arrayJoin([message_id, request_id]) AS id FROM usage WHERE {{template "candidate" .}})
) AS recorded ON stated.id = recorded.id
LEFT JOIN (
    SELECT DISTINCT session_id, usage_id, toUInt8(1) AS found FROM usage
    WHERE {{template "recorded"}} AND {{template "current"}} AND (session_id, usage_id) IN (
        SELECT session_id, usage_id FROM (
            SELECT session_id, usage_id, arrayJoin([message_id, request_id]) AS id FROM usage WHERE {{template "candidate" .}}))
) AS own ON stated.session_id = own.session_id AND stated.usage_id = own.usage_id
LEFT JOIN (
    SELECT session_id, stream_id, usage_id, version, duplicate FROM duplicate_usage FINAL WHERE tenant = {tenant:String}
) AS marks ON stated.session_id = marks.session_id AND stated.stream_id = marks.stream_id AND stated.usage_id = marks.usage_id
GROUP BY stated.session_id, stated.stream_id, stated.usage_id
HAVING is_duplicate != max(marks.duplicate)
{{- define "candidate"}}tenant = {tenant:String} AND dialect = 'otlp' AND length(id) >= 20
        {{- if not .All}} AND (session_id IN (SELECT session_id FROM changed_sessions)
            OR id IN (
                SELECT arrayJoin([message_id, request_id]) FROM usage
                WHERE {{template "recorded"}} AND session_id IN (SELECT session_id FROM changed_sessions))
            {{- if .Marked}}
            OR (session_id, usage_id) IN (SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1)
            {{- end}})
        {{- end}}
{{- end}}
{{- define "recorded"}}tenant = {tenant:String} AND dialect != 'otlp'{{end}}
