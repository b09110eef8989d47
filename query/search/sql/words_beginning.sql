{{- /* Terms of the index that begin with a prefix. */ -}}
SELECT DISTINCT token FROM mergeTreeTextIndex(currentDatabase(), {table:Identifier}, {index:Identifier})
WHERE token >= {prefix:String} AND token < {beyond:String}
LIMIT {rows:UInt64}
