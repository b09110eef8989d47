SELECT count() FROM (SELECT stream_id, sum(length(raw)) AS size FROM frames WHERE tenant = 'default' AND session_id = 'proxied' AND transport = 'ndjson' GROUP BY stream_id) WHERE size = ?
