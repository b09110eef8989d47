{{- /* The models of the records that are not settled, and whether a source states a cost. */ -}}
SELECT provider, model, max(stated_cost != '')::Bool AS stated FROM usage
PREWHERE tenant = {tenant:String}{{if .All}}{{template "made_range" .}}{{else}} AND session_id IN (SELECT session_id FROM unsettled_sessions){{end}}
GROUP BY provider, model
