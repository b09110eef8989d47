
SELECT
    session_id,
    toUnixTimestamp64Nano(min(first_at)) AS started_ns,
    toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
    started_ns AS sort_key
FROM streams
WHERE tenant = {tenant:String}
  AND session_id IN (
      SELECT session_id FROM streams
      WHERE tenant = {tenant:String} AND first_at >= fromUnixTimestamp64Nano({floor:Int64}, 'UTC'))
GROUP BY session_id
HAVING 1
   AND started_ns > {floor:Int64}
ORDER BY sort_key DESC, session_id DESC
LIMIT {limit:UInt64}
