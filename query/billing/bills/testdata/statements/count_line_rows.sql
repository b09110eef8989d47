SELECT count() AS n FROM bill_rows
WHERE tenant = {tenant:String} AND attempt IN {attempts:Array(String)} AND class = {row_class:String} AND charge_period = {row_charge_period:String} AND provider = {row_provider:String} AND model = {row_model:String} AND unit = {row_unit:String} AND (billed_cost = '') = {row_unpriced:UInt8} AND tags[{row_tag_name:String}] = {row_tag:String}
