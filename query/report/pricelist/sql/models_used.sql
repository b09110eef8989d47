{{- /* The models that usage names, with the service tiers and speeds that served them: those
with the most stored records first. A record that several streams reported counts for each. */ -}}
SELECT provider, model, service_tier, speed, count() AS records, toUnixTimestamp64Nano(max(at)) AS last
FROM usage
WHERE tenant = {tenant:String} AND {{template "visible"}} AND NOT startsWith(scope, 'rest:')
GROUP BY provider, model, service_tier, speed
ORDER BY records DESC, provider, model, service_tier, speed
LIMIT {limit:UInt64}
