-- All that a dialect says of a stream may be said anew: docs/adr/0002-redecode.md.
-- generation tells when, in ns since 1970, and is 0 for what the recorder said.

-- The recording itself: every frame, byte for byte. A frame's identity is its
-- sorting key, so a repeated frame replaces itself; its bytes and time are the same
-- in every generation, and the envelope of the latest stands. The partition is the month
-- in which the stream began (it stands in the stream's id), which never changes
-- for a frame, so that repeats always meet.
CREATE TABLE IF NOT EXISTS frames
(
    tenant         LowCardinality(String),
    session_id     String CODEC(ZSTD(1)),
    stream_id      String CODEC(ZSTD(1)),
    seq            UInt64 CODEC(Delta(8), ZSTD(1)),
    stream_started DateTime('UTC') CODEC(ZSTD(1)),
    captured_at    DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    direction      Enum8('receive' = 0, 'send' = 1) CODEC(ZSTD(1)),
    transport      Enum8('ndjson' = 0, 'sse' = 1, 'websocket' = 2, 'http' = 3) CODEC(ZSTD(1)),
    flags          UInt32 CODEC(ZSTD(1)),
    type           LowCardinality(String) CODEC(ZSTD(1)),
    source_session String CODEC(ZSTD(1)),
    run_id         String CODEC(ZSTD(1)),
    node_id        String CODEC(ZSTD(1)),
    agent          LowCardinality(String) CODEC(ZSTD(1)),
    event_id       String CODEC(ZSTD(1)),
    cuts           String CODEC(ZSTD(1)),
    raw            String CODEC(ZSTD(3)),
    generation     UInt64 CODEC(ZSTD(1)),
    INDEX captured_at_minmax captured_at TYPE minmax GRANULARITY 1,
    INDEX type_set type TYPE set(64) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(stream_started)
ORDER BY (tenant, session_id, stream_id, seq)
SETTINGS non_replicated_deduplication_window = 1000;

-- One row for a stream's part in a session, counted from the frame first_seq:
-- the newest version stands, so that nothing is added up on the way in. A stream
-- that comes back to a session after many others begins a new part; readers add
-- up the parts. Of the generations, the current one counts (see redecodes), here as
-- for all facts.
CREATE TABLE IF NOT EXISTS streams
(
    tenant         LowCardinality(String),
    session_id     String,
    stream_id      String,
    first_seq      UInt64,
    stream_started DateTime('UTC'),
    version        UInt64,
    transport      LowCardinality(String),
    dialect        LowCardinality(String),
    evidence       String,
    source         String,
    tags           Map(LowCardinality(String), String),
    title          String,
    first_at       DateTime64(9, 'UTC'),
    last_at        DateTime64(9, 'UTC'),
    frames         UInt64,
    bytes          UInt64,
    ended          DateTime64(9, 'UTC'),
    end_reason     String,
    not_json       UInt64,
    invalid_utf8   UInt64,
    oversize       UInt64,
    unknown        UInt64,
    lost           UInt64,
    repeated       UInt64,
    back           UInt64,
    generation     UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(stream_started)
ORDER BY (tenant, session_id, stream_id, first_seq, generation)
SETTINGS non_replicated_deduplication_window = 1000;

-- The facts. A row is one stream's view of one fact: the key is the fact's id
-- with the stream and the frame that first spoke of it, the newest version
-- stands, and readers put the views of one id together. The day of the first
-- frame comes early in the key, so that a session opens by key and a report
-- over a time range reads only its days. first_seq is that of the stream's part
-- which told the fact.
CREATE TABLE IF NOT EXISTS spans
(
    tenant      LowCardinality(String),
    session_id  String,
    stream_id   String,
    span_id     String,
    seen_at     DateTime64(9, 'UTC'),
    seen_seq    UInt64,
    version     UInt64,
    kind        LowCardinality(String),
    parent_id   String,
    name        LowCardinality(String),
    status      LowCardinality(String),
    started     DateTime64(9, 'UTC'),
    ended       DateTime64(9, 'UTC'),
    first_token DateTime64(9, 'UTC'),
    duration_ns Int64,
    run_id      String,
    node_id     String,
    agent       LowCardinality(String),
    call_id     String,
    model       LowCardinality(String),
    provider    LowCardinality(String),
    error       String,
    attributes  String,
    dialect     LowCardinality(String),
    first_seq   UInt64,
    generation  UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(seen_at)
ORDER BY (tenant, toDate(seen_at), session_id, span_id, stream_id, seen_seq, generation)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS messages
(
    tenant     LowCardinality(String),
    session_id String,
    stream_id  String,
    message_id String,
    seen_at    DateTime64(9, 'UTC'),
    seen_seq   UInt64,
    version    UInt64,
    kind       LowCardinality(String),
    span_id    String,
    name       LowCardinality(String),
    text       String CODEC(ZSTD(3)),
    media      LowCardinality(String),
    complete   Bool,
    started    DateTime64(9, 'UTC'),
    ended      DateTime64(9, 'UTC'),
    chunk_at   Array(Int64) CODEC(Delta(8), ZSTD(1)),
    chunk_end  Array(UInt32) CODEC(Delta(4), ZSTD(1)),
    run_id     String,
    node_id    String,
    agent      LowCardinality(String),
    attributes String,
    dialect    LowCardinality(String),
    first_seq  UInt64,
    generation UInt64,
    INDEX text_words lower(text) TYPE text(tokenizer = 'splitByNonAlpha') GRANULARITY 100000000
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(seen_at)
ORDER BY (tenant, toDate(seen_at), session_id, message_id, stream_id, seen_seq, generation)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS usage
(
    tenant         LowCardinality(String),
    session_id     String,
    stream_id      String,
    usage_id       String,
    seen_at        DateTime64(9, 'UTC'),
    seen_seq       UInt64,
    version        UInt64,
    scope          String,
    mode           LowCardinality(String),
    at             DateTime64(9, 'UTC'),
    span_id        String,
    run_id         String,
    node_id        String,
    agent          LowCardinality(String),
    model          LowCardinality(String),
    provider       LowCardinality(String),
    input          UInt64,
    cache_read     UInt64,
    cache_write_5m UInt64,
    cache_write_1h UInt64,
    output         UInt64,
    reasoning      UInt64,
    total          UInt64,
    raw            String CODEC(ZSTD(3)),
    dialect        LowCardinality(String),
    first_seq      UInt64,
    generation     UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(seen_at)
ORDER BY (tenant, toDate(seen_at), session_id, usage_id, stream_id, seen_seq, generation)
SETTINGS non_replicated_deduplication_window = 1000;

-- Which generation counts, for a session's part of a stream that was decoded anew.
-- What the recorder told of the parts that there were then (by their first_seq)
-- counts no more, even if it is inserted once more; what it tells of later parts
-- does. One insert is the moment at which readers turn to another generation.
CREATE TABLE IF NOT EXISTS redecodes
(
    tenant     LowCardinality(String),
    session_id String,
    stream_id  String,
    generation UInt64,
    parts      Array(UInt64)
)
ENGINE = ReplacingMergeTree(generation)
ORDER BY (tenant, session_id, stream_id)
SETTINGS non_replicated_deduplication_window = 1000;
