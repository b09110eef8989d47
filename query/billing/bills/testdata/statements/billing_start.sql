SELECT if(count() = 0, 0, toUInt64(toUnixTimestamp64Nano(min(period_start)))) AS n FROM bills WHERE tenant = {tenant:String}
