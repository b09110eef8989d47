{{- /* The text of an effective price table; of none if it was never in use. */ -}}
SELECT text FROM price_tables WHERE hash = {hash:String} LIMIT 1
