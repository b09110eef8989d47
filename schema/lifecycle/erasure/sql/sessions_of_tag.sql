{{- /* The sessions with a value of a tag, which only its hash names. */ -}}
SELECT DISTINCT session_id FROM streams
WHERE tenant = {tenant:String} AND mapContains(tags, {tag:String})
    AND lower(hex(SHA256(concat({salt:String}, tags[{tag:String}])))) = {hash:String}
    AND ({until:String} = '' OR stream_id <= {until:String})
ORDER BY session_id
