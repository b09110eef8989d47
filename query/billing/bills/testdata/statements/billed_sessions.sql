SELECT session_id FROM bill_rows
WHERE tenant = {tenant:String} AND attempt = {attempt:String}
GROUP BY session_id
ORDER BY sum(toFloat64OrZero(billed_cost)) DESC, session_id
