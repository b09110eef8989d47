-- The version of the decoders (dialects.Version) that derived a segment's facts: that of
-- the recorder, or of the decoding that made the generation. 0 for rows from before this
-- column.
ALTER TABLE streams ADD COLUMN IF NOT EXISTS decoder_version UInt32 AFTER ingest_key;
