INSERT INTO bills (tenant, account, period, number, prefix, sequence, attempt, period_start, period_end, closed_at, currency, prices_hash, rows_hash, total, bill)
