-- The place of a session in the order of costs: in parts of 10⁻¹² of the currency's unit. Lists
-- look at all of these numbers for their first page.
ALTER TABLE settled_costs ADD COLUMN IF NOT EXISTS cost_key Int64 DEFAULT toInt64(least(cost, 9000000) * 1000000000000);

ALTER TABLE settled_costs MATERIALIZE COLUMN cost_key;
