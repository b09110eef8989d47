-- What people and programs say of a session, of a span or of a moment. stream_id is the stream of the
-- session that began last before the note was written: erasures and retention delete by it. The newest
-- version of a note stands; deleted is 1 in that of a note that was removed.
CREATE TABLE IF NOT EXISTS notes
(
    tenant     LowCardinality(String),
    session_id String,
    stream_id  String,
    note_id    String,
    version    UInt64,
    span_id    String,
    at         DateTime64(9, 'UTC'),
    text       String,
    labels     Array(LowCardinality(String)),
    thumb      LowCardinality(String),
    author     String,
    written_at DateTime64(9, 'UTC'),
    deleted    UInt8
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, session_id, stream_id, note_id);
