-- What a budget of a tag value or a tenant is of, and the day or month. Empty for the alerts of rules of sessions. Such
-- an alert has the session of the tag value, or of the tenant, with the latest frame when it began, so that erasures
-- and retention delete it with that session.
ALTER TABLE alerts
    ADD COLUMN IF NOT EXISTS per LowCardinality(String),
    ADD COLUMN IF NOT EXISTS value String,
    ADD COLUMN IF NOT EXISTS period String;
