SELECT uptime(), toUnixTimestamp64Milli(now64(3))
