{{- /* Whether a session of the range has several values of a tag. */ -}}
SELECT count() AS found FROM (
    SELECT session_id FROM streams
    WHERE tenant = {tenant:String} AND mapContains(tags, {tag:String}){{template "streams_of_the_range" .}}
    GROUP BY session_id
    HAVING min(tags[{tag:String}]) != max(tags[{tag:String}])
    LIMIT 1)
