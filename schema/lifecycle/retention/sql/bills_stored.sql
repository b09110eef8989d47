{{- /* Closed bills by the day of their close, and how many of each day expire with the next round. The latest bill of each
account is kept, see bills_due. */ -}}
SELECT
    toDateTime(toDate(closed_at), 'UTC') AS day,
    count() AS bills,
    sum(length(bill)) AS size,
    countIf(expires) AS expiring,
    sumIf(length(bill), expires) AS expiring_size,
    countIf(expires AND toUnixTimestamp64Nano(closed_at) < {cutoff:Int64}) AS due,
    sumIf(length(bill), expires AND toUnixTimestamp64Nano(closed_at) < {cutoff:Int64}) AS due_size
FROM (
    SELECT closed_at, bill,
        (account, sequence) NOT IN (SELECT account, max(sequence) FROM bills WHERE tenant = {tenant:String} GROUP BY account)
        AND (account, period_end) NOT IN (SELECT account, max(period_end) FROM bills WHERE tenant = {tenant:String} GROUP BY account) AS expires
    FROM bills FINAL
    WHERE tenant = {tenant:String})
GROUP BY day ORDER BY day
