{{- /* What streams stated last of each limit of their accounts in a range, by dialect, the value of a tag,
plan and name. A limit is a JSON object of schema.Limit. Other text in the column, as a tape may have it, is no
array and has no rows. */ -}}
SELECT
    dialect,
    tag_value,
    argMax(stated, (stated_ns, session_id, stream_id)) AS latest,
    argMax(session_id, (stated_ns, session_id, stream_id)) AS latest_session
FROM (
    SELECT
        session_id, stream_id, dialect,
        {{if .Tag}}tags[{tag:String}]{{else}}''{{end}} AS tag_value,
        arrayJoin(JSONExtractArrayRaw(limits)) AS stated,
        JSONExtractString(stated, 'name') AS limit_name,
        JSONExtractString(stated, 'plan') AS limit_plan,
        JSONExtractInt(stated, 'at') AS stated_ns
    FROM streams FINAL
    PREWHERE tenant = {tenant:String} AND {{template "current"}}
    WHERE limits != '' AND length(limits) <= 65536
        AND toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {from:Int64} AND toUnixTimestamp64Nano(first_at) < {to:Int64})
WHERE stated_ns >= {from:Int64} AND stated_ns < {to:Int64}
GROUP BY dialect, tag_value, limit_plan, limit_name
ORDER BY dialect, tag_value, limit_plan, limit_name
LIMIT {most:UInt64}
