{{- /* Sessions of which a stream has the tag of an account. Charges of other streams of them
may belong to another account. */ -}}
SELECT DISTINCT session_id FROM streams WHERE tenant = {tenant:String} AND tags[{tag:String}] = {value:String}
