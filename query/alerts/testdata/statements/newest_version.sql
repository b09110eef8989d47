SELECT max(version) AS version
FROM alerts
