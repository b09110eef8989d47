package grafana

// ofUsage selects usage records by the variables.
const ofUsage = `FROM reports_usage
WHERE $__timeFilter_ms(at)
  AND $__conditionalAll(tenant IN (${tenant:sqlstring}), $tenant)
  AND $__conditionalAll(model IN (${model:sqlstring}), $model)
  AND $__conditionalAll(hasAny(tags, [${tag:sqlstring}]), $tag)`

// ofModelCosts selects what calls cost by the variables.
const ofModelCosts = `FROM reports_model_costs
WHERE $__timeFilter_ms(at)
  AND $__conditionalAll(tenant IN (${tenant:sqlstring}), $tenant)
  AND $__conditionalAll(model IN (${model:sqlstring}), $model)
  AND $__conditionalAll(hasAny(tags, [${tag:sqlstring}]), $tag)`

// settledCosts says which calls costs are of.
const settledCosts = " Of calls that are settled and whose price is known, by the current price table, in the currency of the price file, in steps of a quarter of an hour. The calls of the last minutes, and of sessions that changed since they were settled, are not in it."

// costsOver is a panel of costs, one series for each value of an expression.
func costsOver(title, about, series string) Panel {
	return over(title, about+settledCosts, "short", "SELECT $__timeInterval(at) AS time, "+series+" AS series, toFloat64(sum(cost)) AS cost "+ofModelCosts+"\nGROUP BY time, series\nORDER BY time")
}

// mostTags is how many tags a panel shows, the dearest.
const mostTags = "SELECT tag FROM (SELECT arrayJoin(tags) AS tag, cost " + ofModelCosts + ")\nGROUP BY tag\nORDER BY sum(cost) DESC\nLIMIT 20"

// ofCosts selects what sessions cost; a session counts when it began.
const ofCosts = `FROM reports_costs
WHERE $__timeFilter_ms(started_at)
  AND $__conditionalAll(tenant IN (${tenant:sqlstring}), $tenant)
  AND $__conditionalAll((tenant, session_id) IN (SELECT tenant, session_id FROM reports_sessions WHERE hasAny(tags, [${tag:sqlstring}])), $tag)
  AND $__conditionalAll((tenant, session_id) IN (SELECT tenant, session_id FROM reports_usage WHERE model IN (${model:sqlstring})), $model)`

func one(title, about, unit, sql string) Panel {
	return Panel{Kind: stat, Title: title, About: about, Unit: unit, Width: 4, Height: 4, Queries: []Query{{SQL: sql}}}
}

func over(title, about, unit, sql string) Panel {
	return Panel{Kind: timeSeries, Title: title, About: about, Unit: unit, Width: 12, Height: 8, Stacked: true, Queries: []Query{{SQL: sql}}}
}

func usage() *Dashboard {
	return &Dashboard{
		UID: "tapedeck-usage", Title: "tapedeck: usage and cost", From: "now-7d",
		About:     "Tokens, calls and costs of recorded agents by model, tenant and tag. Records are settled: the newest are up to some minutes late.",
		Variables: []Variable{chooseClickHouse, tenant, model, tag, uiAddress},
		Panels: []Panel{
			one("Calls", "Calls of models that reported usage.", "short", "SELECT sum(calls) AS calls "+ofUsage),
			one("Tokens", "Tokens of all buckets: input, cache, output and reasoning.", "short", "SELECT sum(tokens) AS tokens "+ofUsage),
			one("Input", "Input tokens that came from no cache.", "short", "SELECT sum(input) AS input "+ofUsage),
			one("Output", "Output tokens, reasoning among them.", "short", "SELECT sum(output + reasoning) AS output "+ofUsage),
			one("From caches", "Share of the input that was read from a cache.", "percentunit", "SELECT if(sum(input + cache_read + cache_write) = 0, 0, sum(cache_read) / sum(input + cache_read + cache_write)) AS cached "+ofUsage),
			one("Cost", "Cost of the calls in the range."+settledCosts, "short", "SELECT toFloat64(sum(cost)) AS cost "+ofModelCosts),
			over("Tokens by model", "Tokens of all buckets.", "short", "SELECT $__timeInterval(at) AS time, model AS series, sum(tokens) AS tokens "+ofUsage+"\nGROUP BY time, series\nORDER BY time"),
			over("Tokens by tenant", "Tokens of all buckets.", "short", "SELECT $__timeInterval(at) AS time, tenant AS series, sum(tokens) AS tokens "+ofUsage+"\nGROUP BY time, series\nORDER BY time"),
			over("Tokens by bucket", "What tokens were counted as.", "short", "SELECT $__timeInterval(at) AS time, bucket.1 AS series, sum(bucket.2) AS tokens FROM (SELECT at, arrayJoin([('input', input), ('cache read', cache_read), ('cache write', cache_write), ('output', output), ('reasoning', reasoning)]) AS bucket "+ofUsage+")\nGROUP BY time, series\nORDER BY time"),
			costsOver("Cost by model", "Cost by the model that answered.", "model"),
			costsOver("Cost by tenant", "Cost by tenant.", "tenant"),
			over("Cost by tag", "Cost by tag, of the 20 tags that cost most. A call counts under each tag that it has."+settledCosts, "short", "SELECT $__timeInterval(at) AS time, tag AS series, toFloat64(sum(cost)) AS cost FROM (SELECT at, arrayJoin(tags) AS tag, cost "+ofModelCosts+")\nWHERE tag IN ("+mostTags+")\nGROUP BY time, series\nORDER BY time"),
			over("Calls without a price", "Calls of which no cost is known: the price file lacks the model, or the usage is not valid. Of settled calls.", "short", "SELECT $__timeInterval(at) AS time, model AS series, sum(unpriced_calls) AS calls "+ofModelCosts+"\nGROUP BY time, series\nORDER BY time"),
			{
				Kind: table, Title: "Models", About: "Usage by model and provider.", Unit: "short", Width: 12, Height: 9,
				Queries: []Query{{SQL: "SELECT model, provider, sum(calls) AS calls, sum(tokens) AS tokens, sum(input) AS input, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(output) AS output, sum(reasoning) AS reasoning " + ofUsage + "\nGROUP BY model, provider\nORDER BY tokens DESC\nLIMIT 200"}},
			},
			{
				Kind: table, Title: "Tags", About: "Usage by tag. A record counts under each tag that it has.", Unit: "short", Width: 12, Height: 9,
				Queries: []Query{{SQL: "SELECT arrayJoin(tags) AS tag, sum(calls) AS calls, sum(tokens) AS tokens, uniqExact(tenant, session_id) AS sessions " + ofUsage + "\nGROUP BY tag\nORDER BY tokens DESC\nLIMIT 200"}},
			},
			{
				Kind: table, Title: "Costs by tag", About: "Cost of the calls in the range by tag. A call counts under each tag that it has." + settledCosts, Unit: "short", Width: 12, Height: 9,
				Queries: []Query{{SQL: "SELECT tag, currency, toFloat64(sum(cost)) AS cost, sum(calls) AS calls, sum(unpriced_calls) AS \"without a price\", uniqExact(tenant, session_id) AS sessions FROM (SELECT tenant, session_id, arrayJoin(tags) AS tag, currency, cost, calls, unpriced_calls " + ofModelCosts + ")\nGROUP BY tag, currency\nORDER BY cost DESC\nLIMIT 200"}},
			},
			{
				Kind: table, Title: "Costs by model", About: "Cost of the calls in the range by model and tenant." + settledCosts, Unit: "short", Width: 12, Height: 9,
				Queries: []Query{{SQL: "SELECT model, provider, tenant, currency, toFloat64(sum(cost)) AS cost, sum(calls) AS calls, sum(unpriced_calls) AS \"without a price\" " + ofModelCosts + "\nGROUP BY model, provider, tenant, currency\nORDER BY cost DESC\nLIMIT 200"}},
			},
			{
				Kind: table, Title: "Dearest sessions", About: "The sessions that cost most, of those that began in the range.", Unit: "short", Width: 12, Height: 9, SessionLink: true,
				Queries: []Query{{SQL: "SELECT session_id AS session, tenant, started_at AS started, toFloat64(cost) AS cost, currency " + ofCosts + "\nORDER BY cost DESC\nLIMIT 100"}},
			},
		},
	}
}
