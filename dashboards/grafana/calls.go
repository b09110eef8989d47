package grafana

const ofCalls = "FROM reports_calls" + ofTagged + `
  AND $__conditionalAll(model IN (${model:sqlstring}), $model)`

// calledModel is model among calls, which are there before usage is settled.
var calledModel = Variable{Name: "model", Label: "Model", SQL: "SELECT DISTINCT model FROM reports_calls WHERE $__timeFilter_ms(at) ORDER BY model LIMIT 1000"}

func quantilesOver(title, about, column string) Panel {
	p := over(title, about, "s", "SELECT $__timeInterval(at) AS time, pair.1 AS series, pair.2 AS seconds FROM (SELECT at, arrayJoin(arrayZip(['50 %', '95 %', '99 %'], found)) AS pair FROM (SELECT $__timeInterval(at) AS at, quantilesExactInclusive(0.5, 0.95, 0.99)(assumeNotNull("+column+")) AS found FROM (SELECT at, "+column+" "+ofCalls+"\n  AND isNotNull("+column+"))\nGROUP BY at))\nORDER BY time")
	p.Stacked = false
	return p
}

func calls() *Dashboard {
	return &Dashboard{
		UID: "tapedeck-calls", Title: "tapedeck: model calls", From: "now-24h",
		About:     "Calls of models: how many, how they ended, how fast the first token and the end came. A call counts when its session first spoke of it.",
		Variables: []Variable{chooseClickHouse, tenant, calledModel, tag, uiAddress},
		Panels: []Panel{
			one("Calls", "Calls of models, with and without usage.", "short", "SELECT count() AS calls "+ofCalls),
			one("Failed", "Calls that ended with an error.", "short", "SELECT countIf(status = 'error') AS failed "+ofCalls),
			one("Failed, share", "Share of the calls that ended with an error.", "percentunit", "SELECT if(count() = 0, 0, countIf(status = 'error') / count()) AS failed "+ofCalls),
			one("Without an end", "Calls of which no end was recorded.", "short", "SELECT countIf(status IN ('', 'open', 'waiting', 'unclosed')) AS open "+ofCalls),
			one("First token", "Median time from the request to the first token.", "s", "SELECT quantileExactInclusiveIf(0.5)(assumeNotNull(first_token_seconds), isNotNull(first_token_seconds)) AS median "+ofCalls),
			one("Duration", "Median duration of the calls that ended.", "s", "SELECT quantileExactInclusiveIf(0.5)(assumeNotNull(seconds), isNotNull(seconds)) AS median "+ofCalls),
			over("Calls by model", "Calls by the model that answered.", "short", "SELECT $__timeInterval(at) AS time, model AS series, count() AS calls "+ofCalls+"\nGROUP BY time, series\nORDER BY time"),
			over("Outcomes", "Calls by how they ended.", "short", "SELECT $__timeInterval(at) AS time, if(status = '', 'open', status) AS series, count() AS calls "+ofCalls+"\nGROUP BY time, series\nORDER BY time"),
			quantilesOver("Time to the first token", "Quantiles of the time from the request to the first token.", "first_token_seconds"),
			quantilesOver("Duration", "Quantiles of the duration of the calls that ended.", "seconds"),
			{
				Kind: table, Title: "Models", About: "Calls, errors and times by model and provider.", Unit: "short", Width: 24, Height: 9,
				Units:   map[string]string{"failed share": "percentunit", "first token": "s", "first token, 95 %": "s", "duration": "s", "duration, 95 %": "s"},
				Queries: []Query{{SQL: "SELECT model, provider, count() AS calls, countIf(status = 'error') AS failed, failed / calls AS \"failed share\", quantileExactInclusiveIf(0.5)(assumeNotNull(first_token_seconds), isNotNull(first_token_seconds)) AS \"first token\", quantileExactInclusiveIf(0.95)(assumeNotNull(first_token_seconds), isNotNull(first_token_seconds)) AS \"first token, 95 %\", quantileExactInclusiveIf(0.5)(assumeNotNull(seconds), isNotNull(seconds)) AS duration, quantileExactInclusiveIf(0.95)(assumeNotNull(seconds), isNotNull(seconds)) AS \"duration, 95 %\" " + ofCalls + "\nGROUP BY model, provider\nORDER BY calls DESC\nLIMIT 200"}},
			},
			{
				Kind: table, Title: "Slowest calls", About: "The calls that took longest.", Unit: "short", Width: 24, Height: 9, SessionLink: true,
				Units:   map[string]string{"seconds": "s", "first_token_seconds": "s"},
				Queries: []Query{{SQL: "SELECT at, session_id AS session, tenant, model, agent, status, first_token_seconds, seconds " + ofCalls + "\n  AND isNotNull(seconds)\nORDER BY seconds DESC\nLIMIT 100"}},
			},
		},
	}
}
