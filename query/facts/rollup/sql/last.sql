{{- /* The id of the last settlement. */ -}}
SELECT max(id) AS id FROM settlements
