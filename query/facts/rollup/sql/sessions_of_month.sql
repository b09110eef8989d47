{{- /* The sessions whose usage begins in a month, and whether their records need care: one
stands several times, or is a running total. Sessions that are being deleted are left out,
since their rows disappear without an insert. */ -}}
SELECT session_id, uniqExact(cityHash64(usage_id)) != count() OR countIf(mode = 'running') > 0 AS care
FROM usage
WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) >= {month:UInt32} AND {{template "current"}}
    AND session_id IN (SELECT session_id FROM usage WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) = {month:UInt32})
    AND session_id NOT IN (
        SELECT session_id FROM usage
        WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) < {month:UInt32}
            AND session_id IN (SELECT session_id FROM usage WHERE tenant = {tenant:String} AND toYYYYMM(seen_at) = {month:UInt32}))
    AND session_id NOT IN (SELECT session_id FROM tombstones FINAL WHERE tenant = {tenant:String} AND finished = 0)
    AND session_id NOT IN (SELECT session_id FROM expirations FINAL WHERE tenant = {tenant:String} AND kind IN ('charges', 'facts') AND finished = 0)
GROUP BY session_id
