{{- /* Deletes rows of a table that have expired. */ -}}
ALTER TABLE {{.}} DELETE WHERE tenant = {tenant:String}
    AND has({sessions:Array(String)}, session_id) AND stream_id <= arrayElement({untils:Array(String)}, indexOf({sessions:Array(String)}, session_id))
