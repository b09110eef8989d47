{{- /* The models of the unsettled sessions, and whether a source states a cost. */ -}}
SELECT provider, model, max(stated_cost != '')::Bool AS stated FROM usage
PREWHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM unsettled_sessions)
GROUP BY provider, model
