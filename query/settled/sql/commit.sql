{{- /* Makes a settlement the last one. */ -}}
INSERT INTO settlements (name, id, content, pending)
SELECT 'usage', {id:UInt64}, {content:String}, arrayZip({tenants:Array(String)}, {sessions:Array(String)})
