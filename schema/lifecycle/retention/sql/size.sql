SELECT count() AS sessions, sum(size) AS size, if(count() = 0, NULL, min(last)) AS oldest
FROM ({{template "sizes" .}})
