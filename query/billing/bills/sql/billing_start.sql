{{- /* When the first period begins of which a bill of the tenant is, in ns; 0 if there is none. */ -}}
SELECT if(count() = 0, 0, toUInt64(toUnixTimestamp64Nano(min(period_start)))) AS n FROM bills WHERE tenant = {tenant:String}
