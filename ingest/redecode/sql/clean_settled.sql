{{- /* Deletes from a table of settled usage what it has of the session, in all batches. */ -}}
ALTER TABLE {{.}} DELETE WHERE tenant = {tenant:String} AND session_id = {session:String}
