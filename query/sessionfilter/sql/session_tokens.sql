{{- /* define only: the tokens of each session that used any, as reports count them. Nearly
all records are written once and say what they add: these are added up straight. Sessions
with a record that stands several times, or with running totals, go through careful_usage,
which needs all of their records. */ -}}
{{define "session_tokens"}}
    WITH
        per_session AS (
            SELECT session_id, toInt64(sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning)) AS straight,
                uniqExact(cityHash64(usage_id)) = count() AND countIf(mode = 'running') = 0 AS plain
            FROM usage AS records
            WHERE tenant = {tenant:String} AND {{template "current"}}{{template "since" .}}
                AND {{template "counts"}}
            GROUP BY session_id
            {{- if .MinTokens}}
            HAVING straight >= {min_tokens:Int64}
            {{- end}})
    SELECT session_id, straight AS session_tokens FROM per_session WHERE plain
    UNION ALL
    SELECT session_id, sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning) AS session_tokens
    FROM ({{template "careful_usage" (render "usage_with_care" .)}}) AS records
    WHERE {{template "counts"}}
    GROUP BY session_id
{{- end}}
{{define "usage_with_care"}}PREWHERE tenant = {tenant:String} AND {{template "current"}}{{template "since" .}}
        AND session_id IN (SELECT session_id FROM per_session WHERE NOT plain)
{{- end}}
