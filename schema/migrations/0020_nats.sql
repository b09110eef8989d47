-- Frames of NATS subjects.
ALTER TABLE frames MODIFY COLUMN transport Enum8('ndjson' = 0, 'sse' = 1, 'websocket' = 2, 'http' = 3, 'eventstream' = 4, 'nats' = 5) CODEC(ZSTD(1));
