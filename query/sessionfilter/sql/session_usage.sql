{{- /* The tokens of some sessions by cell, all that they ever used. */ -}}
SELECT
    records.session_id AS session_id,
    {{template "cell_columns" .CellTags}},
    {{template "sums"}}
FROM ({{template "careful_usage" (print "PREWHERE " (render "in_page" .))}}) AS records
{{- template "tag_joins" (.TagJoins " AND session_id IN {sessions:Array(String)}")}}
GROUP BY session_id,
    {{template "cell_keys"}}{{template "cell_tags" .CellTags}}
