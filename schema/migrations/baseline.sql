-- The tables and views that the migrations make in an empty database.
-- Written by 'go test ./schema/migrate -run TestBaseline -update'; do not edit.
-- migrations: c96c19dd13d663c2

CREATE TABLE IF NOT EXISTS frames
(
    `tenant` LowCardinality(String),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `seq` UInt64 CODEC(Delta(8), ZSTD(1)),
    `stream_started` DateTime('UTC') CODEC(ZSTD(1)),
    `captured_at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `direction` Enum8('receive' = 0, 'send' = 1) CODEC(ZSTD(1)),
    `transport` Enum8('ndjson' = 0, 'sse' = 1, 'websocket' = 2, 'http' = 3, 'eventstream' = 4, 'nats' = 5) CODEC(ZSTD(1)),
    `flags` UInt32 CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `source_session` String CODEC(ZSTD(1)),
    `run_id` String CODEC(ZSTD(1)),
    `node_id` String CODEC(ZSTD(1)),
    `agent` LowCardinality(String) CODEC(ZSTD(1)),
    `event_id` String CODEC(ZSTD(1)),
    `cuts` String CODEC(ZSTD(1)),
    `raw` String CODEC(Default),
    `generation` UInt64 CODEC(ZSTD(1)),
    INDEX captured_at_minmax captured_at TYPE minmax GRANULARITY 1,
    INDEX type_set type TYPE set(64) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(stream_started)
ORDER BY (tenant, session_id, stream_id, seq)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192, default_compression_codec = 'ZSTD(3)';

CREATE TABLE IF NOT EXISTS streams
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `first_seq` UInt64,
    `stream_started` DateTime('UTC'),
    `version` UInt64,
    `transport` LowCardinality(String),
    `dialect` LowCardinality(String),
    `evidence` String,
    `source` String,
    `tags` Map(LowCardinality(String), String),
    `title` String,
    `first_at` DateTime64(9, 'UTC'),
    `last_at` DateTime64(9, 'UTC'),
    `frames` UInt64,
    `bytes` UInt64,
    `ended` DateTime64(9, 'UTC'),
    `end_reason` String,
    `recorder` String,
    `digest` String,
    `ingest_key` String,
    `decoder_version` UInt32,
    `redacted` Map(LowCardinality(String), UInt64),
    `limits` String CODEC(ZSTD(1)),
    `not_json` UInt64,
    `invalid_utf8` UInt64,
    `oversize` UInt64,
    `unknown` UInt64,
    `lost` UInt64,
    `repeated` UInt64,
    `back` UInt64,
    `generation` UInt64,
    INDEX digest_bloom digest TYPE bloom_filter GRANULARITY 1,
    INDEX ingest_key_bloom ingest_key TYPE bloom_filter GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(stream_started)
ORDER BY (tenant, session_id, stream_id, first_seq, generation)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192, enable_block_number_column = 1;

CREATE TABLE IF NOT EXISTS spans
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `span_id` String,
    `seen_at` DateTime64(9, 'UTC'),
    `seen_seq` UInt64,
    `version` UInt64,
    `kind` LowCardinality(String),
    `parent_id` String,
    `name` LowCardinality(String),
    `status` LowCardinality(String),
    `started` DateTime64(9, 'UTC'),
    `ended` DateTime64(9, 'UTC'),
    `first_token` DateTime64(9, 'UTC'),
    `duration_ns` Int64,
    `run_id` String,
    `node_id` String,
    `agent` LowCardinality(String),
    `call_id` String,
    `model` LowCardinality(String),
    `provider` LowCardinality(String),
    `error` String,
    `attributes` String,
    `dialect` LowCardinality(String),
    `first_seq` UInt64,
    `generation` UInt64,
    `terms` String ALIAS replaceRegexpAll(replaceRegexpAll(caseFoldUTF8(toValidUTF8(error)), '[^\\x00-\\x7f\\p{L}\\p{M}\\p{N}]', ' '), '[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}]', ' \\0 '),
    INDEX error_terms terms TYPE text(tokenizer = 'splitByNonAlpha') GRANULARITY 100000000
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(seen_at)
ORDER BY (tenant, toDate(seen_at), session_id, span_id, stream_id, seen_seq, generation)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192, default_compression_codec = 'ZSTD(1)';

CREATE TABLE IF NOT EXISTS messages
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `message_id` String,
    `seen_at` DateTime64(9, 'UTC'),
    `seen_seq` UInt64,
    `version` UInt64,
    `kind` LowCardinality(String),
    `span_id` String,
    `name` LowCardinality(String),
    `text` String CODEC(ZSTD(3)),
    `media` LowCardinality(String),
    `complete` Bool,
    `started` DateTime64(9, 'UTC'),
    `ended` DateTime64(9, 'UTC'),
    `chunk_at` Array(Int64) CODEC(Delta(8), ZSTD(1)),
    `chunk_end` Array(UInt32) CODEC(Delta(4), ZSTD(1)),
    `run_id` String,
    `node_id` String,
    `agent` LowCardinality(String),
    `attributes` String,
    `dialect` LowCardinality(String),
    `first_seq` UInt64,
    `generation` UInt64,
    `terms` String ALIAS if(isValidASCII(if((media = 'json') AND (position(text, '\\') > 0), decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '), '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')), text)), lower(if((media = 'json') AND (position(text, '\\') > 0), decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '), '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')), text)), replaceRegexpAll(replaceRegexpAll(caseFoldUTF8(toValidUTF8(if((media = 'json') AND (position(text, '\\') > 0), decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '), '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')), text))), '[^\\x00-\\x7f\\p{L}\\p{M}\\p{N}]', ' '), '[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}]', ' \\0 ')),
    INDEX text_terms terms TYPE text(tokenizer = 'splitByNonAlpha') GRANULARITY 100000000
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(seen_at)
ORDER BY (tenant, toDate(seen_at), session_id, message_id, stream_id, seen_seq, generation)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192, default_compression_codec = 'ZSTD(1)';

CREATE TABLE IF NOT EXISTS usage
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `usage_id` String,
    `seen_at` DateTime64(9, 'UTC'),
    `seen_seq` UInt64,
    `version` UInt64,
    `scope` String,
    `mode` LowCardinality(String),
    `at` DateTime64(9, 'UTC'),
    `span_id` String,
    `run_id` String,
    `node_id` String,
    `agent` LowCardinality(String),
    `model` LowCardinality(String),
    `provider` LowCardinality(String),
    `input` UInt64,
    `cache_read` UInt64,
    `cache_write_5m` UInt64,
    `cache_write_1h` UInt64,
    `output` UInt64,
    `reasoning` UInt64,
    `total` UInt64,
    `raw` String CODEC(ZSTD(3)),
    `requested_model` LowCardinality(String),
    `service_tier` LowCardinality(String),
    `speed` LowCardinality(String),
    `region` LowCardinality(String),
    `stated_cost` String,
    `stated_currency` LowCardinality(String),
    `request_id` String,
    `message_id` String,
    `input_text` UInt64,
    `input_audio` UInt64,
    `input_image` UInt64,
    `input_video` UInt64,
    `cache_read_text` UInt64,
    `cache_read_audio` UInt64,
    `cache_read_image` UInt64,
    `cache_read_video` UInt64,
    `output_text` UInt64,
    `output_audio` UInt64,
    `output_image` UInt64,
    `output_video` UInt64,
    `web_searches` UInt64,
    `web_fetches` UInt64,
    `code_executions` UInt64,
    `dialect` LowCardinality(String),
    `first_seq` UInt64,
    `generation` UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(seen_at)
ORDER BY (tenant, toDate(seen_at), session_id, usage_id, stream_id, seen_seq, generation)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192, enable_block_number_column = 1, default_compression_codec = 'ZSTD(1)';

CREATE TABLE IF NOT EXISTS redecodes
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `generation` UInt64,
    `parts` Array(UInt64)
)
ENGINE = ReplacingMergeTree(generation)
ORDER BY (tenant, session_id, stream_id)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192, enable_block_number_column = 1;

CREATE TABLE IF NOT EXISTS tombstones
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `until` String,
    `streams` Array(String),
    `deleted_at` DateTime64(9, 'UTC'),
    `finished` UInt8,
    `erasure` String
)
ENGINE = ReplacingMergeTree(finished)
ORDER BY (tenant, session_id, until)
SETTINGS index_granularity = 8192, enable_block_number_column = 1;

CREATE TABLE IF NOT EXISTS restores
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `restored_at` DateTime64(9, 'UTC')
)
ENGINE = ReplacingMergeTree(restored_at)
ORDER BY (tenant, session_id, stream_id)
SETTINGS index_granularity = 8192, enable_block_number_column = 1;

CREATE TABLE IF NOT EXISTS price_tables
(
    `hash` String,
    `imported_at` DateTime64(9, 'UTC'),
    `file_name` String,
    `file` String CODEC(ZSTD(3)),
    `text` String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(imported_at)
ORDER BY hash
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 8192;

CREATE TABLE IF NOT EXISTS bills
(
    `tenant` LowCardinality(String),
    `account` String,
    `period` String,
    `number` String,
    `prefix` String,
    `sequence` UInt64,
    `attempt` String,
    `period_start` DateTime64(9, 'UTC'),
    `period_end` DateTime64(9, 'UTC'),
    `closed_at` DateTime64(9, 'UTC'),
    `currency` LowCardinality(String),
    `prices_hash` String,
    `rows_hash` String,
    `total` String,
    `bill` String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant, account, period)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS bill_rows
(
    `tenant` LowCardinality(String),
    `account` String CODEC(ZSTD(1)),
    `period` LowCardinality(String),
    `attempt` String CODEC(ZSTD(1)),
    `ordinal` UInt64 CODEC(Delta(8), ZSTD(1)),
    `class` LowCardinality(String),
    `charge_period` LowCardinality(String),
    `charge_start` DateTime64(9, 'UTC') CODEC(ZSTD(1)),
    `charge_end` DateTime64(9, 'UTC') CODEC(ZSTD(1)),
    `charge_id` String CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `position` String CODEC(ZSTD(1)),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `service_tier` LowCardinality(String),
    `speed` LowCardinality(String),
    `region` LowCardinality(String),
    `tags` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    `unit` LowCardinality(String),
    `quantity` String CODEC(ZSTD(1)),
    `per` Int64 CODEC(ZSTD(1)),
    `list_price` LowCardinality(String),
    `contracted_price` LowCardinality(String),
    `price` LowCardinality(String),
    `list_cost` String CODEC(ZSTD(1)),
    `contracted_cost` String CODEC(ZSTD(1)),
    `billed_cost` String CODEC(ZSTD(1)),
    `prices_hash` LowCardinality(String),
    `rules` Array(LowCardinality(String)),
    `reason` LowCardinality(String),
    `note` LowCardinality(String),
    INDEX charge_bloom charge_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (tenant, attempt, ordinal)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS audit_log
(
    `tenant` LowCardinality(String),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `id` String CODEC(ZSTD(1)),
    `ended` UInt8,
    `principal_kind` LowCardinality(String),
    `principal_id` String CODEC(ZSTD(1)),
    `principal_name` String CODEC(ZSTD(1)),
    `remote` String CODEC(ZSTD(1)),
    `action` LowCardinality(String),
    `kind` LowCardinality(String),
    `object` String CODEC(ZSTD(1)),
    `detail` String CODEC(ZSTD(1)),
    `outcome` LowCardinality(String),
    `status` UInt16,
    `request_id` String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(ended)
PARTITION BY toYYYYMM(at)
ORDER BY (at, id)
TTL toDateTime(at) + toIntervalDay(400)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS erasures
(
    `tenant` LowCardinality(String),
    `id` String,
    `version` UInt64,
    `state` LowCardinality(String),
    `requested_at` DateTime64(9, 'UTC'),
    `record` String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, id)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS retention_policies
(
    `tenant` LowCardinality(String),
    `kind` LowCardinality(String),
    `max_age_s` UInt64,
    `max_bytes` UInt64,
    `set_at` DateTime64(9, 'UTC'),
    `set_by` String
)
ENGINE = ReplacingMergeTree(set_at)
ORDER BY (tenant, kind)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS expirations
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `kind` LowCardinality(String),
    `until` String,
    `expired_at` DateTime64(9, 'UTC'),
    `bytes` UInt64,
    `finished` UInt8
)
ENGINE = ReplacingMergeTree(finished)
ORDER BY (tenant, session_id, kind, until)
SETTINGS index_granularity = 8192, enable_block_number_column = 1;

CREATE TABLE IF NOT EXISTS settled_usage
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `rest` Bool,
    `span_id` String CODEC(ZSTD(1)),
    `run_id` String CODEC(ZSTD(1)),
    `node_id` String CODEC(ZSTD(1)),
    `agent` LowCardinality(String),
    `dialect` LowCardinality(String),
    `class` FixedString(16),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `service_tier` LowCardinality(String),
    `speed` LowCardinality(String),
    `region` LowCardinality(String),
    `valid` Bool,
    `mismatch` Bool,
    `stated_cost` String,
    `stated_currency` LowCardinality(String),
    `input` Int64,
    `cache_read` Int64,
    `cache_write_5m` Int64,
    `cache_write_1h` Int64,
    `output` Int64,
    `reasoning` Int64,
    `input_audio` Int64,
    `input_image` Int64,
    `input_video` Int64,
    `cache_read_audio` Int64,
    `cache_read_image` Int64,
    `cache_read_video` Int64,
    `output_audio` Int64,
    `output_image` Int64,
    `output_video` Int64,
    `web_searches` Int64,
    `code_executions` Int64,
    `tags` Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, toDate(at), session_id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS settled_costs
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `started_ns` Int64,
    `last_ns` Int64,
    `cost` Decimal(76, 30),
    `cost_key` Int64 DEFAULT toInt64(least(cost, 9000000) * 1000000000000)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, session_id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS settled_sessions
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `started_ns` Int64,
    `last_ns` Int64,
    `end_ns` Int64,
    `last_ended_ns` Int64,
    `last_reason` LowCardinality(String),
    `streams` UInt64,
    `frames` UInt64,
    `bytes` UInt64,
    `cut` Bool,
    `title` String CODEC(ZSTD(1)),
    `dialects` Array(LowCardinality(String)),
    `tag_keys` Array(LowCardinality(String)),
    `tag_values` Array(String) CODEC(ZSTD(1)),
    `runs` UInt64,
    `open_runs` UInt64,
    `unclosed_runs` UInt64,
    `failed_runs` UInt64,
    `cancelled_runs` UInt64,
    `last_run` LowCardinality(String),
    `tool_calls` UInt64,
    `tool_errors` UInt64,
    `unclosed_spans` UInt64,
    `open_spans` UInt64,
    `agents` Array(LowCardinality(String)),
    `models` Array(LowCardinality(String)),
    `failed_id` String,
    `failed_name` String,
    `failed_begin_ns` Int64,
    `failed_ended_ns` Int64,
    `failed_error` String CODEC(ZSTD(1)),
    `cancelled_id` String,
    `cancelled_name` String,
    `cancelled_ended_ns` Int64,
    `call_id` String,
    `call_kind` LowCardinality(String),
    `call_name` String,
    `call_status` LowCardinality(String),
    `call_error` String CODEC(ZSTD(1)),
    `call_ended_ns` Int64,
    `call_begin_ns` Int64,
    `open_id` String,
    `open_kind` LowCardinality(String),
    `open_name` String,
    `open_status` LowCardinality(String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, session_id)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1073741824;

CREATE TABLE IF NOT EXISTS settlements
(
    `name` LowCardinality(String),
    `id` UInt64,
    `content` String CODEC(ZSTD(3)),
    `pending` Array(Tuple(
        String,
        String))
)
ENGINE = ReplacingMergeTree(id)
ORDER BY name
SETTINGS index_granularity = 8192;

CREATE VIEW IF NOT EXISTS reports_kept
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String
)
AS SELECT
    known.tenant AS tenant,
    known.session_id AS session_id,
    known.stream_id AS stream_id
FROM
(
    SELECT
        tenant,
        session_id,
        stream_id,
        restored_at
    FROM restores
    UNION ALL
    SELECT
        tenant,
        session_id,
        stream_id,
        toDateTime64(0, 9, 'UTC') AS restored_at
    FROM streams
    WHERE (tenant, session_id) IN (
        SELECT
            tenant,
            session_id
        FROM tombstones
    )
) AS known
INNER JOIN
(
    SELECT
        tenant,
        session_id,
        max(until) AS last,
        max(deleted_at) AS deleted,
        groupUniqArrayArray(streams) AS listed
    FROM tombstones
    GROUP BY
        tenant,
        session_id
) AS gone ON (known.tenant = gone.tenant) AND (known.session_id = gone.session_id)
WHERE ((known.stream_id > gone.last) AND (NOT has(gone.listed, known.stream_id))) OR (known.restored_at > gone.deleted);

CREATE VIEW IF NOT EXISTS reports_generations
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `mark` UInt64,
    `original` Bool
)
AS SELECT
    tenant,
    session_id,
    stream_id,
    named.1 AS mark,
    named.2 AS original
FROM
(
    SELECT
        tenant,
        session_id,
        stream_id,
        arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
    FROM redecodes
    FINAL
);

CREATE VIEW IF NOT EXISTS reports_batches
(
    `usage_batch` String,
    `cost_batch` String,
    `recent` UInt8
)
AS SELECT
    JSONExtractString(item, 'id') AS usage_batch,
    JSONExtractString(item, 'costs') AS cost_batch,
    JSONExtractUInt(item, 'month') = 0 AS recent
FROM
(
    SELECT arrayJoin(arrayFilter(batch -> startsWith(batch, '{'), arrayPushBack(JSONExtractArrayRaw(last, 'batches'), JSONExtractRaw(last, 'recent')))) AS item
    FROM
    (
        SELECT argMax(content, id) AS last
        FROM settlements
    )
);

CREATE VIEW IF NOT EXISTS reports_pending
(
    `tenant` String,
    `session_id` String,
    `made` UInt8
)
AS SELECT
    (numbered.1).1 AS tenant,
    (numbered.1).2 AS session_id,
    (numbered.2) <= first AS made
FROM
(
    SELECT
        JSONExtractUInt(last.1, 'made') AS first,
        arrayJoin(arrayZip(last.2, arrayEnumerate(last.2))) AS numbered
    FROM
    (
        SELECT argMax((content, pending), id) AS last
        FROM settlements
    )
);

CREATE VIEW IF NOT EXISTS reports_streams
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `stream_first` DateTime64(9, 'UTC'),
    `stream_last` DateTime64(9, 'UTC'),
    `stream_frames` UInt64,
    `stream_bytes` UInt64,
    `stream_ended` DateTime64(9, 'UTC'),
    `stream_reason` String,
    `stream_title` String,
    `stream_dialect` String,
    `stream_tags` Map(String, String)
)
AS SELECT
    tenant,
    session_id,
    stream_id,
    min(first_at) AS stream_first,
    max(greatest(first_at, last_at)) AS stream_last,
    sum(frames) AS stream_frames,
    sum(bytes) AS stream_bytes,
    argMax(ended, first_seq) AS stream_ended,
    argMax(end_reason, first_seq) AS stream_reason,
    argMinIf(title, first_seq, title != '') AS stream_title,
    argMax(dialect, first_seq) AS stream_dialect,
    argMax(tags, first_seq) AS stream_tags
FROM streams
FINAL
PREWHERE (((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM tombstones
)) OR ((tenant, session_id, stream_id) IN (
    SELECT
        tenant,
        session_id,
        stream_id
    FROM reports_kept
))) AND ((generation = 0) != ((tenant, session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
    SELECT
        tenant,
        session_id,
        stream_id,
        mark,
        original
    FROM reports_generations
)))
GROUP BY
    tenant,
    session_id,
    stream_id;

CREATE VIEW IF NOT EXISTS reports_sessions
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `started_at` DateTime64(9, 'UTC'),
    `last_at` DateTime64(9, 'UTC'),
    `seconds` Float64,
    `ended` UInt8,
    `cut` UInt8,
    `streams` UInt64,
    `frames` UInt64,
    `bytes` UInt64,
    `title` String,
    `dialects` Array(String),
    `tags` Array(String)
)
AS SELECT
    tenant,
    session_id,
    min(stream_first) AS started_at,
    max(stream_last) AS last_at,
    toFloat64(toUnixTimestamp64Nano(greatest(max(stream_last), max(stream_ended))) - toUnixTimestamp64Nano(min(stream_first))) / 1000000000. AS seconds,
    countIf(toUnixTimestamp64Nano(stream_ended) = 0) = 0 AS ended,
    startsWith(argMax(stream_reason, (greatest(stream_last, stream_ended), stream_last, stream_id)), 'error') AS cut,
    count() AS streams,
    sum(stream_frames) AS frames,
    sum(stream_bytes) AS bytes,
    argMinIf(stream_title, (stream_first, stream_id), stream_title != '') AS title,
    arraySort(groupUniqArrayIf(stream_dialect, stream_dialect != '')) AS dialects,
    arraySort(groupUniqArrayArray(arrayMap((k, v) -> concat(k, '=', v), CAST(mapKeys(stream_tags), 'Array(String)'), mapValues(stream_tags)))) AS tags
FROM reports_streams
GROUP BY
    tenant,
    session_id;

CREATE VIEW IF NOT EXISTS reports_usage
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `at` DateTime64(9, 'UTC'),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `agent` LowCardinality(String),
    `dialect` LowCardinality(String),
    `service_tier` LowCardinality(String),
    `region` LowCardinality(String),
    `calls` UInt8,
    `input` Int64,
    `cache_read` Int64,
    `cache_write` Int64,
    `output` Int64,
    `reasoning` Int64,
    `tokens` Int64,
    `web_searches` Int64,
    `code_executions` Int64,
    `tags` Array(String)
)
AS SELECT
    tenant,
    session_id,
    stream_id,
    at,
    provider,
    model,
    agent,
    dialect,
    service_tier,
    region,
    if(rest, 0, 1) AS calls,
    settled_usage.input AS input,
    settled_usage.cache_read AS cache_read,
    settled_usage.cache_write_5m + settled_usage.cache_write_1h AS cache_write,
    settled_usage.output AS output,
    settled_usage.reasoning AS reasoning,
    ((((settled_usage.input + settled_usage.cache_read) + settled_usage.cache_write_5m) + settled_usage.cache_write_1h) + settled_usage.output) + settled_usage.reasoning AS tokens,
    web_searches,
    code_executions,
    arrayMap((k, v) -> concat(k, '=', v), CAST(mapKeys(settled_usage.tags), 'Array(String)'), mapValues(settled_usage.tags)) AS tags
FROM settled_usage
WHERE (batch IN (
    SELECT usage_batch
    FROM reports_batches
)) AND ((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM reports_pending
    WHERE NOT made
)) AND ((batch IN (
    SELECT usage_batch
    FROM reports_batches
    WHERE recent
)) OR ((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM reports_pending
    WHERE made
))) AND (((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM tombstones
)) OR ((tenant, session_id, stream_id) IN (
    SELECT
        tenant,
        session_id,
        stream_id
    FROM reports_kept
)));

CREATE VIEW IF NOT EXISTS reports_costs
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `started_at` DateTime64(9, 'UTC'),
    `cost` Decimal(76, 30),
    `currency` String
)
AS SELECT
    tenant,
    session_id,
    fromUnixTimestamp64Nano(started_ns, 'UTC') AS started_at,
    cost,
    ifNull((
        SELECT if(stated = '', 'USD', stated)
        FROM
        (
            SELECT JSONExtractString(argMax(text, imported_at), 'operator', 'currency') AS stated
            FROM price_tables
        )
    ), 'USD') AS currency
FROM settled_costs
WHERE (batch IN (
    SELECT cost_batch
    FROM reports_batches
)) AND ((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM reports_pending
    WHERE NOT made
)) AND ((batch IN (
    SELECT cost_batch
    FROM reports_batches
    WHERE recent
)) OR ((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM reports_pending
    WHERE made
))) AND (((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM tombstones
)) OR ((tenant, session_id, stream_id) IN (
    SELECT
        tenant,
        session_id,
        stream_id
    FROM reports_kept
)));

CREATE VIEW IF NOT EXISTS reports_spans
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `span_id` String,
    `at` DateTime64(9, 'UTC'),
    `span_kind` String,
    `span_status` String,
    `span_name` String,
    `span_agent` String,
    `span_model` String,
    `span_provider` String,
    `started_ns` Int64,
    `ended_ns` Int64,
    `first_token_ns` Int64,
    `reported_ns` Int64
)
AS SELECT
    tenant,
    session_id,
    span_id,
    min(seen_at) AS at,
    argMax(kind, rank) AS span_kind,
    argMax(status, rank) AS span_status,
    argMaxIf(name, rank, name != '') AS span_name,
    argMaxIf(agent, rank, agent != '') AS span_agent,
    argMaxIf(model, rank, model != '') AS span_model,
    argMaxIf(provider, rank, provider != '') AS span_provider,
    minIf(toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(started) != 0) AS started_ns,
    argMax(toUnixTimestamp64Nano(ended), rank) AS ended_ns,
    minIf(toUnixTimestamp64Nano(first_token), toUnixTimestamp64Nano(first_token) != 0) AS first_token_ns,
    argMaxIf(duration_ns, rank, duration_ns != 0) AS reported_ns
FROM
(
    SELECT
        tenant,
        session_id,
        stream_id,
        span_id,
        seen_at,
        kind,
        status,
        name,
        agent,
        model,
        provider,
        started,
        ended,
        first_token,
        duration_ns,
        multiIf((status IN ('', 'open', 'waiting')), 0, status = 'unclosed', 1, 2) AS finality,
        greatest(toUnixTimestamp64Nano(ended), 0) AS end_ns,
        ((bitShiftLeft(toUInt256(finality), 254) + bitShiftLeft(toUInt256(if(((kind = 'tool') OR (position(span_id, ':event:') > 0)) AND (finality = 2) AND (end_ns > 0), 9223372036854775807 - end_ns, end_ns)), 192)) + bitShiftLeft(toUInt256(version), 128)) + toUInt256(toUInt128(toUUIDOrZero(stream_id))) AS rank
    FROM spans
    FINAL
    PREWHERE (((tenant, session_id) NOT IN (
        SELECT
            tenant,
            session_id
        FROM tombstones
    )) OR ((tenant, session_id, stream_id) IN (
        SELECT
            tenant,
            session_id,
            stream_id
        FROM reports_kept
    ))) AND ((generation = 0) != ((tenant, session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
        SELECT
            tenant,
            session_id,
            stream_id,
            mark,
            original
        FROM reports_generations
    )))
    WHERE kind IN ('tool', 'llm')
)
GROUP BY
    tenant,
    session_id,
    span_id;

CREATE VIEW IF NOT EXISTS reports_tools
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `span_id` String,
    `at` DateTime64(9, 'UTC'),
    `tool` String,
    `agent` String,
    `status` String,
    `seconds` Nullable(Float64)
)
AS SELECT
    tenant,
    session_id,
    span_id,
    at,
    span_name AS tool,
    span_agent AS agent,
    span_status AS status,
    if((span_status IN ('ok', 'error', 'cancelled')) AND ((reported_ns > 0) OR ((started_ns != 0) AND (ended_ns != 0))), if(reported_ns > 0, reported_ns, ended_ns - started_ns) / 1000000000., NULL) AS seconds
FROM reports_spans
WHERE span_kind = 'tool';

CREATE VIEW IF NOT EXISTS reports_calls
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `span_id` String,
    `at` DateTime64(9, 'UTC'),
    `model` String,
    `provider` String,
    `agent` String,
    `status` String,
    `first_token_seconds` Nullable(Float64),
    `seconds` Nullable(Float64)
)
AS SELECT
    tenant,
    session_id,
    span_id,
    at,
    span_model AS model,
    span_provider AS provider,
    span_agent AS agent,
    span_status AS status,
    if((started_ns != 0) AND (first_token_ns > started_ns), (first_token_ns - started_ns) / 1000000000., NULL) AS first_token_seconds,
    if((span_status IN ('ok', 'error', 'cancelled')) AND (started_ns != 0) AND (ended_ns > started_ns), (ended_ns - started_ns) / 1000000000., NULL) AS seconds
FROM reports_spans
WHERE span_kind = 'llm';

CREATE TABLE IF NOT EXISTS settled_model_costs
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `calls` UInt64 CODEC(ZSTD(1)),
    `cost` Decimal(76, 30) CODEC(ZSTD(1)),
    `priced` Bool,
    `unpriced_calls` UInt64 CODEC(ZSTD(1)),
    `unpriced_tokens` Int64 CODEC(ZSTD(1)),
    `tags` Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, at, session_id)
SETTINGS index_granularity = 1024;

CREATE VIEW IF NOT EXISTS reports_model_costs
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `at` DateTime64(9, 'UTC'),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `calls` UInt64,
    `cost` Decimal(76, 30),
    `unpriced_calls` UInt64,
    `unpriced_tokens` Int64,
    `currency` String,
    `tags` Array(String)
)
AS SELECT
    tenant,
    session_id,
    stream_id,
    at,
    provider,
    model,
    calls,
    cost,
    unpriced_calls,
    unpriced_tokens,
    ifNull((
        SELECT if(stated = '', 'USD', stated)
        FROM
        (
            SELECT JSONExtractString(argMax(text, imported_at), 'operator', 'currency') AS stated
            FROM price_tables
        )
    ), 'USD') AS currency,
    arrayMap((k, v) -> concat(k, '=', v), CAST(mapKeys(settled_model_costs.tags), 'Array(String)'), mapValues(settled_model_costs.tags)) AS tags
FROM settled_model_costs
WHERE (batch IN (
    SELECT cost_batch
    FROM reports_batches
)) AND ((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM reports_pending
    WHERE NOT made
)) AND ((batch IN (
    SELECT cost_batch
    FROM reports_batches
    WHERE recent
)) OR ((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM reports_pending
    WHERE made
))) AND (((tenant, session_id) NOT IN (
    SELECT
        tenant,
        session_id
    FROM tombstones
)) OR ((tenant, session_id, stream_id) IN (
    SELECT
        tenant,
        session_id,
        stream_id
    FROM reports_kept
)));

CREATE TABLE IF NOT EXISTS settled_calls
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `seq` UInt64 CODEC(T64, ZSTD(1)),
    `span_id` String CODEC(ZSTD(1)),
    `run_id` String CODEC(ZSTD(1)),
    `model` LowCardinality(String),
    `provider` LowCardinality(String),
    `agent` LowCardinality(String),
    `status` LowCardinality(String),
    `stop_reason` LowCardinality(String),
    `error` String CODEC(ZSTD(1)),
    `http_status` UInt64 CODEC(T64, ZSTD(1)),
    `started_ns` Int64 CODEC(Delta(8), ZSTD(1)),
    `ended_ns` Int64 CODEC(Delta(8), ZSTD(1)),
    `first_token_ns` Int64 CODEC(Delta(8), ZSTD(1)),
    `retry` Bool,
    `output_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `all_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `chunks` UInt64 CODEC(T64, ZSTD(1)),
    `gaps` Array(Int64) CODEC(T64, LZ4),
    `spread_ns` Int64 CODEC(T64, LZ4),
    `longest_ns` Int64 CODEC(T64, LZ4),
    `longest_from_ns` Int64 CODEC(Delta(8), ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, toDate(at), session_id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS settled_charges
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `usage_id` String CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `scope` String CODEC(ZSTD(1)),
    `mode` LowCardinality(String),
    `span_id` String CODEC(ZSTD(1)),
    `run_id` String CODEC(ZSTD(1)),
    `node_id` String CODEC(ZSTD(1)),
    `agent` LowCardinality(String),
    `dialect` LowCardinality(String),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `requested_model` LowCardinality(String),
    `service_tier` LowCardinality(String),
    `speed` LowCardinality(String),
    `region` LowCardinality(String),
    `request_id` String CODEC(ZSTD(1)),
    `message_id` String CODEC(ZSTD(1)),
    `stated` UInt64,
    `mismatch` Bool,
    `stated_cost` String,
    `stated_currency` LowCardinality(String),
    `input` Int64,
    `cache_read` Int64,
    `cache_write_5m` Int64,
    `cache_write_1h` Int64,
    `output` Int64,
    `reasoning` Int64,
    `input_audio` Int64,
    `input_image` Int64,
    `input_video` Int64,
    `cache_read_audio` Int64,
    `cache_read_image` Int64,
    `cache_read_video` Int64,
    `output_audio` Int64,
    `output_image` Int64,
    `output_video` Int64,
    `web_searches` Int64,
    `code_executions` Int64,
    `web_fetches` Int64,
    `tags` Map(LowCardinality(String), String),
    `cell_tags` Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, at, session_id, usage_id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS settled_tools
(
    `batch` LowCardinality(String),
    `tenant` LowCardinality(String),
    `session_id` String CODEC(ZSTD(1)),
    `stream_id` String CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `seq` UInt64 CODEC(T64, ZSTD(1)),
    `span_id` String CODEC(ZSTD(1)),
    `run_id` String CODEC(ZSTD(1)),
    `node_id` String CODEC(ZSTD(1)),
    `tool` LowCardinality(String),
    `agent` LowCardinality(String),
    `status` LowCardinality(String),
    `started_ns` Int64 CODEC(Delta(8), ZSTD(1)),
    `ended_ns` Int64 CODEC(Delta(8), ZSTD(1)),
    `reported_ns` Int64 CODEC(T64, ZSTD(1)),
    `latest_ns` Int64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (tenant, toDate(at), session_id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS notes
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `note_id` String,
    `version` UInt64,
    `span_id` String,
    `at` DateTime64(9, 'UTC'),
    `text` String,
    `labels` Array(LowCardinality(String)),
    `thumb` LowCardinality(String),
    `author` String,
    `written_at` DateTime64(9, 'UTC'),
    `deleted` UInt8
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, session_id, stream_id, note_id)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS alerts
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `alert_id` String,
    `version` UInt64,
    `rule` LowCardinality(String),
    `kind` LowCardinality(String),
    `condition` String,
    `span_id` String,
    `span_name` String,
    `position` String,
    `detail` String,
    `began_at` DateTime64(9, 'UTC'),
    `ended_at` DateTime64(9, 'UTC'),
    `per` LowCardinality(String),
    `value` String,
    `period` String
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, session_id, stream_id, alert_id)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS duplicate_usage
(
    `tenant` LowCardinality(String),
    `session_id` String,
    `stream_id` String,
    `usage_id` String,
    `version` UInt64,
    `duplicate` UInt8
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant, session_id, usage_id, stream_id)
SETTINGS enable_block_number_column = 1, index_granularity = 8192;
