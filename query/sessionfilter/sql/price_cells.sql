{{- /* The cells of the records from which costs are computed. */ -}}
SELECT
    {{template "counted_cell" .TagNames}} AS cell_hash,
    {{template "counted_sums" .TagNames}}
FROM ({{template "priced_records" .}})
GROUP BY cell_hash
LIMIT {cells:UInt64}
