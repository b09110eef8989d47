-- The texts of frames are compressed by the codec of their part: ZSTD(3), or that of a TTL which
-- recompresses old parts. Another codec of the column would rule over both.
ALTER TABLE frames MODIFY SETTING default_compression_codec = 'ZSTD(3)';

ALTER TABLE frames MODIFY COLUMN raw String CODEC(Default);
