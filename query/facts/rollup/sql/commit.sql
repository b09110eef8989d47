{{- /* Makes a settlement the last one, unless another was written since it was begun. */ -}}
INSERT INTO settlements (name, id, content, pending)
SELECT 'usage', {id:UInt64}, {content:String}, arrayZip({tenants:Array(String)}, {sessions:Array(String)})
WHERE (SELECT max(id) FROM settlements) = {after:UInt64}
