ALTER TABLE audit_log MODIFY TTL toDateTime(at) + toIntervalDay({{.}})
