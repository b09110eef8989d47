SELECT table, sum(bytes_on_disk) / (SELECT count() FROM frames)
FROM system.parts
WHERE database = currentDatabase() AND table IN ('frames', 'streams', 'spans', 'messages', 'usage') AND active
GROUP BY table ORDER BY 2 DESC
