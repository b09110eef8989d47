// Package compozy reads the /stream endpoints of Compozy's executions of workflows, agents and
// tasks, both as the specification defines them and as the engine sends them.
// docs/dialects/compozy.md describes how it reads them.
package compozy

import "tapedeck/ingest/dialect"

// Dialect is the server-sent events of a Compozy execution.
var Dialect = dialect.Dialect{
	Name: "compozy", Match: match,
	Time: frameTime, Ends: dialect.EndsWith("complete", "error"), New: newDecoder,
}

// frameTime reads the "ts" of an event (specification, section 3).
func frameTime(in *dialect.Input) int64 {
	if !dialect.IsObject(in.JSON) {
		return 0
	}
	ts := in.JSON.GetStringBytes("ts")
	if ts == nil {
		ts = in.JSON.GetStringBytes("data", "ts")
	}
	return dialect.TextTime(ts)
}
