-- Store repeated inserts: ClickHouse remembers an insert before it stores the rows, and
-- would drop the repetition of one that it was killed in. The keys replace repeated rows.
ALTER TABLE frames MODIFY SETTING non_replicated_deduplication_window = 0;

ALTER TABLE streams MODIFY SETTING non_replicated_deduplication_window = 0;

ALTER TABLE spans MODIFY SETTING non_replicated_deduplication_window = 0;

ALTER TABLE messages MODIFY SETTING non_replicated_deduplication_window = 0;

ALTER TABLE usage MODIFY SETTING non_replicated_deduplication_window = 0;

ALTER TABLE redecodes MODIFY SETTING non_replicated_deduplication_window = 0;

ALTER TABLE price_tables MODIFY SETTING non_replicated_deduplication_window = 0;
