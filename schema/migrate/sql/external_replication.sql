{{- /* Clusters with a shard of several replicas into each of which a Distributed table inserts. */ -}}
SELECT groupUniqArray(cluster) FROM (
    SELECT cluster FROM system.clusters WHERE cluster IN {clusters:Array(String)}
    GROUP BY cluster, shard_num HAVING count() > 1 AND min(internal_replication) = 0)
