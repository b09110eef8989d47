{{- /* The statements that are reading at present. */ -}}
SELECT query_id FROM system.processes WHERE query_kind = 'Select' AND query_id != queryID()
