// Package agui reads AG-UI, the protocol between agents and the user interfaces
// they are used from. docs/dialects/ag-ui.md says what is concluded from what.
package agui

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// Dialect is AG-UI as JSON events.
var Dialect = dialect.Dialect{Name: "ag-ui", Match: match, Time: timeOf, Ends: dialect.EndsWith("RUN_FINISHED", "RUN_ERROR"), New: newDecoder}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.level = &level{talk: model.Conversation{Stream: &d.Stream}}
	return d
}

// Times before earliest, ms, are no times in milliseconds; nor are those after
// latest, which nanoseconds cannot hold.
const (
	earliest = 1e11
	latest   = 9e12
)

// timeOf reads an event's timestamp: in practice milliseconds, though the
// protocol does not say so.
func timeOf(in *dialect.Input) int64 {
	v := in.JSON.Get("timestamp")
	if v == nil || v.Type() != fastjson.TypeNumber {
		return 0
	}
	ms := v.GetFloat64()
	if ms < earliest || ms > latest {
		return 0
	}
	whole := int64(ms)
	return whole*1e6 + int64((ms-float64(whole))*1e6)
}
