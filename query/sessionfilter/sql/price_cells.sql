{{- /* The cells of all sessions that a list may show. */ -}}
SELECT
    {{template "cell_hash" .CellTags}} AS cell_hash,
    {{template "cell_columns" .CellTags}},
    {{template "sums"}}
{{- template "priced_records" .}}
GROUP BY cell_hash
LIMIT {cells:UInt64}
