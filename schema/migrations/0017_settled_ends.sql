-- What sql/session_ends.sql returns of a settled session, for the list. A settlement that was made
-- without these columns does not hold: see settled.Settlement.Form.
ALTER TABLE settled_sessions
    ADD COLUMN IF NOT EXISTS failed_id String,
    ADD COLUMN IF NOT EXISTS failed_name String,
    ADD COLUMN IF NOT EXISTS failed_begin_ns Int64,
    ADD COLUMN IF NOT EXISTS failed_ended_ns Int64,
    ADD COLUMN IF NOT EXISTS failed_error String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS cancelled_id String,
    ADD COLUMN IF NOT EXISTS cancelled_name String,
    ADD COLUMN IF NOT EXISTS cancelled_ended_ns Int64,
    ADD COLUMN IF NOT EXISTS call_id String,
    ADD COLUMN IF NOT EXISTS call_kind LowCardinality(String),
    ADD COLUMN IF NOT EXISTS call_name String,
    ADD COLUMN IF NOT EXISTS call_status LowCardinality(String),
    ADD COLUMN IF NOT EXISTS call_error String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS call_ended_ns Int64,
    ADD COLUMN IF NOT EXISTS call_begin_ns Int64,
    ADD COLUMN IF NOT EXISTS open_id String,
    ADD COLUMN IF NOT EXISTS open_kind LowCardinality(String),
    ADD COLUMN IF NOT EXISTS open_name String,
    ADD COLUMN IF NOT EXISTS open_status LowCardinality(String);
