{{- /* Deletes from a table of settled usage what it has of the session, in batches that were begun before a
time, ns. The id of a batch is month-time-random. */ -}}
ALTER TABLE {{.}} DELETE WHERE tenant = {tenant:String} AND session_id = {session:String}
    AND toInt64OrZero(splitByChar('-', toString(batch))[2]) < {before:Int64}
