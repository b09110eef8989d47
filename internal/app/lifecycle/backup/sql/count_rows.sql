SELECT sum(rows) FROM {{.}}.backup_sums WHERE table_name = {table:String}
