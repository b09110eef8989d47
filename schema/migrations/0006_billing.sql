-- What the price of a usage depends on besides its model, provider and tokens, as the
-- source states it. requested_model is the model that the request names, model the one
-- that served it. stated_cost is a decimal number. The counts by modality are parts of
-- input, cache_read and output. Rows from before these columns have none of it.
ALTER TABLE usage
    ADD COLUMN IF NOT EXISTS requested_model LowCardinality(String) AFTER raw,
    ADD COLUMN IF NOT EXISTS service_tier LowCardinality(String) AFTER requested_model,
    ADD COLUMN IF NOT EXISTS speed LowCardinality(String) AFTER service_tier,
    ADD COLUMN IF NOT EXISTS region LowCardinality(String) AFTER speed,
    ADD COLUMN IF NOT EXISTS stated_cost String AFTER region,
    ADD COLUMN IF NOT EXISTS stated_currency LowCardinality(String) AFTER stated_cost,
    ADD COLUMN IF NOT EXISTS request_id String AFTER stated_currency,
    ADD COLUMN IF NOT EXISTS message_id String AFTER request_id,
    ADD COLUMN IF NOT EXISTS input_text UInt64 AFTER message_id,
    ADD COLUMN IF NOT EXISTS input_audio UInt64 AFTER input_text,
    ADD COLUMN IF NOT EXISTS input_image UInt64 AFTER input_audio,
    ADD COLUMN IF NOT EXISTS input_video UInt64 AFTER input_image,
    ADD COLUMN IF NOT EXISTS cache_read_text UInt64 AFTER input_video,
    ADD COLUMN IF NOT EXISTS cache_read_audio UInt64 AFTER cache_read_text,
    ADD COLUMN IF NOT EXISTS cache_read_image UInt64 AFTER cache_read_audio,
    ADD COLUMN IF NOT EXISTS cache_read_video UInt64 AFTER cache_read_image,
    ADD COLUMN IF NOT EXISTS output_text UInt64 AFTER cache_read_video,
    ADD COLUMN IF NOT EXISTS output_audio UInt64 AFTER output_text,
    ADD COLUMN IF NOT EXISTS output_image UInt64 AFTER output_audio,
    ADD COLUMN IF NOT EXISTS output_video UInt64 AFTER output_image,
    ADD COLUMN IF NOT EXISTS web_searches UInt64 AFTER output_video,
    ADD COLUMN IF NOT EXISTS web_fetches UInt64 AFTER web_searches,
    ADD COLUMN IF NOT EXISTS code_executions UInt64 AFTER web_fetches;
