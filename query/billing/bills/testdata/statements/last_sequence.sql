SELECT max(sequence) AS n FROM bills WHERE tenant = {tenant:String} AND prefix = {prefix:String}
