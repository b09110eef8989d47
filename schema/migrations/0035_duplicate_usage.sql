-- Usage records of spans whose call a record of a recorded stream states too, by the id of the provider's response or
-- request. Reports count the call once, by the other record. The newest version of a row stands: duplicate is 0 in
-- that of a record that counts again. stream_id is that of the span's record.
CREATE TABLE IF NOT EXISTS duplicate_usage
(
    tenant     LowCardinality(String),
    session_id String,
    stream_id  String,
    usage_id   String,
    version    UInt64,
    duplicate  UInt8
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, session_id, usage_id, stream_id)
SETTINGS enable_block_number_column = 1;
