SELECT text FROM price_tables WHERE hash = {hash:String} LIMIT 1
