{{- /* Closed bills that have expired, but for the latest of each account, which the next one follows. */ -}}
SELECT account, period, number, attempt FROM bills FINAL
WHERE tenant = {tenant:String} AND toUnixTimestamp64Nano(closed_at) < {cutoff:Int64}
    AND (account, sequence) NOT IN (SELECT account, max(sequence) FROM bills WHERE tenant = {tenant:String} GROUP BY account)
    AND (account, period_end) NOT IN (SELECT account, max(period_end) FROM bills WHERE tenant = {tenant:String} GROUP BY account)
ORDER BY closed_at LIMIT {limit:UInt64}
