{{- /* The models of the records of a range, and whether a source states a cost. */ -}}
SELECT provider, model, max(stated_cost != '')::Bool AS stated FROM usage
PREWHERE {{template "care_days" .}}
GROUP BY provider, model
