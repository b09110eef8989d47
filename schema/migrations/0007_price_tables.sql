-- Every version of the effective price table that was in use, by the SHA-256 of its text.
-- The operator's price file of the row that was imported last is the current one. A program
-- of another version makes another table of the same file; its row keeps the time of import.
CREATE TABLE IF NOT EXISTS price_tables
(
    hash        String,
    imported_at DateTime64(9, 'UTC'),
    file_name   String,
    file        String CODEC(ZSTD(3)),
    text        String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(imported_at)
ORDER BY hash
SETTINGS non_replicated_deduplication_window = 1000;
