package grafana

// ofTagged selects rows of tenants and of sessions that have tags.
const ofTagged = `
WHERE $__timeFilter_ms(at)
  AND $__conditionalAll(tenant IN (${tenant:sqlstring}), $tenant)
  AND $__conditionalAll((tenant, session_id) IN (SELECT tenant, session_id FROM reports_sessions WHERE hasAny(tags, [${tag:sqlstring}])), $tag)`

const ofTools = "FROM reports_tools" + ofTagged + `
  AND $__conditionalAll((tenant, session_id) IN (SELECT tenant, session_id FROM reports_calls WHERE model IN (${model:sqlstring})), $model)`

func tools() *Dashboard {
	return &Dashboard{
		UID: "tapedeck-tools", Title: "tapedeck: tools", From: "now-24h",
		About:     "Calls of tools: how many, how many failed, how long they took. A call counts when its session first spoke of it.",
		Variables: []Variable{chooseClickHouse, tenant, calledModel, tag, uiAddress},
		Panels: []Panel{
			one("Calls", "Calls of tools. With models chosen: of the sessions that used them.", "short", "SELECT count() AS calls "+ofTools),
			one("Failed", "Calls that ended with an error.", "short", "SELECT countIf(status = 'error') AS failed "+ofTools),
			one("Failed, share", "Share of the calls that ended with an error.", "percentunit", "SELECT if(count() = 0, 0, countIf(status = 'error') / count()) AS failed "+ofTools),
			one("Without an end", "Calls of which no end was recorded.", "short", "SELECT countIf(status IN ('', 'open', 'waiting', 'unclosed')) AS open "+ofTools),
			one("Median", "Median duration of the calls that ended.", "s", "SELECT quantileExactInclusiveIf(0.5)(assumeNotNull(seconds), isNotNull(seconds)) AS median "+ofTools),
			one("99 %", "99 % of the calls that ended took at most as long.", "s", "SELECT quantileExactInclusiveIf(0.99)(assumeNotNull(seconds), isNotNull(seconds)) AS p99 "+ofTools),
			over("Calls by tool", "Calls of the 15 tools with most calls.", "short", "SELECT $__timeInterval(at) AS time, tool AS series, count() AS calls "+ofTools+"\n  AND tool IN (SELECT tool "+ofTools+"\n    GROUP BY tool ORDER BY count() DESC LIMIT 15)\nGROUP BY time, series\nORDER BY time"),
			over("Outcomes", "Calls by how they ended.", "short", "SELECT $__timeInterval(at) AS time, if(status = '', 'open', status) AS series, count() AS calls "+ofTools+"\nGROUP BY time, series\nORDER BY time"),
			{
				Kind: table, Title: "Tools", About: "Calls, errors and durations by tool.", Unit: "short", Width: 24, Height: 9,
				Units:   map[string]string{"median": "s", "p95": "s", "longest": "s", "failed share": "percentunit"},
				Queries: []Query{{SQL: "SELECT tool, count() AS calls, countIf(status = 'error') AS failed, failed / calls AS \"failed share\", uniqExact(tenant, session_id) AS sessions, quantileExactInclusiveIf(0.5)(assumeNotNull(seconds), isNotNull(seconds)) AS median, quantileExactInclusiveIf(0.95)(assumeNotNull(seconds), isNotNull(seconds)) AS p95, max(seconds) AS longest " + ofTools + "\nGROUP BY tool\nORDER BY calls DESC\nLIMIT 200"}},
			},
			{
				Kind: table, Title: "Slowest calls", About: "The calls that took longest.", Unit: "short", Width: 24, Height: 9, SessionLink: true,
				Units:   map[string]string{"seconds": "s"},
				Queries: []Query{{SQL: "SELECT at, session_id AS session, tenant, tool, agent, status, seconds " + ofTools + "\n  AND isNotNull(seconds)\nORDER BY seconds DESC\nLIMIT 100"}},
			},
		},
	}
}
