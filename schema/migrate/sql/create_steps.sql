{{- /* What runs of migrations did. event is taken, alive or released for the lock;
forgotten when schema_migrations was deleted, since what was recorded before is applied again; begun and done
for a statement; whole for a migration, whose text is its name, checksum that of its file, and
oldest the lowest migration that programs which use the database must have. */ -}}
CREATE TABLE IF NOT EXISTS schema_steps
(
    version    UInt32,
    step       UInt32,
    event      LowCardinality(String),
    at         DateTime64(6, 'UTC') DEFAULT now64(6),
    generation UInt64,
    checksum   String,
    oldest     UInt32,
    text       String,
    program    String,
    holder     String
)
ENGINE = MergeTree ORDER BY (version, step, event, at)
