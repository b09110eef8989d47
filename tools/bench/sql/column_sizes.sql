SELECT column, sum(column_data_compressed_bytes) / (SELECT count() FROM frames)
FROM system.parts_columns
WHERE database = currentDatabase() AND table = 'frames' AND active
GROUP BY column ORDER BY 2 DESC
