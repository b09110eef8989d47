-- Episodes in which a rule of alerts held for a session. stream_id is the stream of the session that
-- began last when the alert did: erasures and retention delete by it. The newest version of an alert stands; ended
-- is 0 while the alert is open. condition identifies what holds, so that it is one alert while it does.
CREATE TABLE IF NOT EXISTS alerts
(
    tenant     LowCardinality(String),
    session_id String,
    stream_id  String,
    alert_id   String,
    version    UInt64,
    rule       LowCardinality(String),
    kind       LowCardinality(String),
    condition  String,
    span_id    String,
    span_name  String,
    position   String,
    detail     String,
    began_at   DateTime64(9, 'UTC'),
    ended_at   DateTime64(9, 'UTC')
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, session_id, stream_id, alert_id);
