{{- /* What the charges before the ends of periods depend on, as one number for each period:
their usage records, which of these count, and the tags of their sessions; and the models of the records of each
period. It is 0 for the records after the last
end. A record that is stored again is the same. */ -}}
SELECT arrayCount(end -> end <= toUnixTimestamp64Nano(at), {ends:Array(Int64)}) AS period_index,
    groupBitXor(cityHash64(usage.session_id, stream_id, usage_id, seen_at, seen_seq, version, generation, session_tags.hash)
        + ((usage.session_id, usage_id) IN (SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1))) AS fingerprint,
    (groupUniqArray((toString(provider), toString(model))) AS named).1 AS providers, named.2 AS models
FROM usage FINAL
LEFT JOIN (
    SELECT session_id, cityHash64(arraySort(groupUniqArray((stream_id, first_at, arraySort(arrayZip(mapKeys(tags)::Array(String), mapValues(tags)::Array(String))))))) AS hash
    FROM streams
    PREWHERE tenant = {tenant:String} AND {{template "current"}}
    WHERE notEmpty(tags)
    GROUP BY session_id
) AS session_tags ON usage.session_id = session_tags.session_id
PREWHERE tenant = {tenant:String} AND {{template "current"}} AND toDate(seen_at) <= toDate(fromUnixTimestamp64Nano({last:Int64}, 'UTC'))
WHERE at < fromUnixTimestamp64Nano({last:Int64}, 'UTC')
GROUP BY period_index
ORDER BY period_index
