{{- /* The sessions that used most tokens at most, and how many that are: what all of
their usage records that count say, however often these stand there, is no less than a
session used. It is just that where every record stands there once and says what it adds.
After a mark come the sessions that used less, and those of which the bound does not
say so. */ -}}
SELECT
    session_id,
    toInt64(sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning)) AS bound
FROM usage AS records
WHERE tenant = {tenant:String} AND {{template "current"}}{{template "since" .}}
    AND {{template "counts"}}
{{- template "selected" .}}
GROUP BY session_id
HAVING bound >= {min_tokens:Int64}
{{- if .After}}
   AND ((bound, session_id) < ({after_key:Int64}, {after_id:String})
        OR uniqExact(cityHash64(usage_id)) != count() OR countIf(mode = 'running') > 0)
{{- end}}
ORDER BY bound DESC, session_id DESC
LIMIT {rows:UInt64}
