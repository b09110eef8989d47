WITH JSONExtractUInt(settlement.2, 'made') AS first
SELECT
    settlement.1 AS id,
    settlement.2 AS content,
    arrayFilter(s -> s.1 = {tenant:String}, arraySlice(settlement.3, 1, first)) AS made,
    arrayFilter(s -> s.1 = {tenant:String}, arraySlice(settlement.3, first + 1)) AS pending,
    (SELECT toString(cityHash64(arraySort(groupArray((name, toString(uuid), engine)))))
        FROM system.tables WHERE database = currentDatabase() AND name IN {tables:Array(String)}) AS identity,
    names, blocks
FROM (SELECT argMax((id, content, pending), id) AS settlement FROM settlements) AS last
CROSS JOIN (
    SELECT groupArray(source) AS names, groupArray(block) AS blocks FROM (
        SELECT concat(table, '/', toString(_shard_num)) AS source, toUInt64(max(greatest(max_block_number, toInt64(data_version)))) AS block FROM system.parts
        WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
        GROUP BY source)) AS stored
