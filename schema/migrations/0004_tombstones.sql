-- What was deleted: a session's streams up to a moment, whatever arrives of them
-- later. until is the greatest stream id of that moment (ids are UUIDv7, so that they
-- sort by the time at which their streams began); streams are those beyond it that
-- were known, as a recorder whose clock is ahead makes them. Rows are never changed
-- but for finished, which is 1 once nothing of the streams is stored any more.
CREATE TABLE IF NOT EXISTS tombstones
(
    tenant     LowCardinality(String),
    session_id String,
    until      String,
    streams    Array(String),
    deleted_at DateTime64(9, 'UTC'),
    finished   UInt8
)
ENGINE = ReplacingMergeTree(finished)
ORDER BY (tenant, session_id, until);

-- Streams that were imported again after their session was deleted: no tombstone
-- from before that covers them.
CREATE TABLE IF NOT EXISTS restores
(
    tenant      LowCardinality(String),
    session_id  String,
    stream_id   String,
    restored_at DateTime64(9, 'UTC')
)
ENGINE = ReplacingMergeTree(restored_at)
ORDER BY (tenant, session_id, stream_id);
