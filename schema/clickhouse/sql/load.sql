{{- /* The largest number of active parts in a partition of tapedeck's tables, above which ClickHouse
      delays and refuses inserts, and the memory in use. */ -}}
SELECT
    (SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition_id)),
    (SELECT toUInt64(greatest(sum(value), 0)) FROM system.metrics WHERE metric = 'MemoryTracking')
