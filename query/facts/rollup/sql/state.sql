{{- /* The last settlement, and up to which insert each of the tables that it was made from is
stored now. A mutation has a number of the same sequence. Of the pending sessions the first are
in the recent batch, the others in none that counts. On a cluster the inserts of each shard have
numbers of their own: a name is table/shard. */ -}}
WITH JSONExtractUInt(settlement.2, 'made') AS first
SELECT
    settlement.1 AS id,
    settlement.2 AS content,
    {{- if .Pending}}
    arraySlice(settlement.3, 1, first) AS made,
    arraySlice(settlement.3, first + 1) AS pending,
    {{- else}}
    arrayFilter(s -> s.1 = {tenant:String}, arraySlice(settlement.3, 1, first)) AS made,
    arrayFilter(s -> s.1 = {tenant:String}, arraySlice(settlement.3, first + 1)) AS pending,
    {{- end}}
    (SELECT toString(cityHash64(arraySort(groupArray((name, toString(uuid), engine)))))
        FROM system.tables WHERE database = currentDatabase() AND name IN {tables:Array(String)}) AS identity,
    names, blocks
FROM (SELECT argMax((id, content, pending), id) AS settlement FROM settlements) AS last
CROSS JOIN (
    SELECT groupArray({{if .Sharded}}source{{else}}table{{end}}) AS names, groupArray(block) AS blocks FROM (
        SELECT {{if .Sharded}}concat(table, '/', toString(_shard_num)) AS source{{else}}table{{end}}, toUInt64(max(greatest(max_block_number, toInt64(data_version)))) AS block FROM system.parts
        WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
        GROUP BY {{if .Sharded}}source{{else}}table{{end}})) AS stored
