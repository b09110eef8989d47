{{- /* The tables that a backup has beside those of the schema: see sql.go. */ -}}
CREATE TABLE {{.}}.backup_info (info String, seal String) ENGINE = MergeTree ORDER BY seal;
CREATE TABLE {{.}}.backup_sums
(
    table_name LowCardinality(String),
    tenant     LowCardinality(String),
    session_id String,
    rows       UInt64,
    bytes      UInt64,
    hash       UInt128
)
ENGINE = MergeTree ORDER BY (table_name, tenant, session_id);
CREATE TABLE {{.}}.backup_entries (bucket LowCardinality(String), key String, value String) ENGINE = MergeTree ORDER BY (bucket, key);
