{{- /* The usage of some sessions by cell, all that they ever used. */ -}}
SELECT
    session_id,
    {{template "counted_sums" .TagNames}}
FROM ({{template "counted_usage" (.Counted (render "counted_all" .) (render "settled_page" .) (render "rows_of_page" .) " AND session_id IN {sessions:Array(String)}")}})
GROUP BY session_id, {{template "counted_cell" .TagNames}}
{{- define "settled_page"}} AND session_id IN {sessions:Array(String)}
        AND toDate(at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND (empty({days:Array(Date)}) OR (toDate(at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)}))
{{- end}}
{{- define "rows_of_page"}} AND session_id IN {sessions:Array(String)}
        AND toDate(seen_at) BETWEEN {first_day:Date} AND {last_day:Date}
        AND (empty({days:Array(Date)}) OR (toDate(seen_at), session_id) IN arrayZip({days:Array(Date)}, {days_of:Array(String)}))
{{- end}}
