-- How many secrets were masked in the frames of a segment, by rule. Empty for rows from before
-- this column.
ALTER TABLE streams ADD COLUMN IF NOT EXISTS redacted Map(LowCardinality(String), UInt64) AFTER decoder_version;
