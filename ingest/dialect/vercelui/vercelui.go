// Package vercelui reads what the AI SDK sends to its user interfaces: the UI
// message stream of version 5 and later, and the data stream of version 4,
// lines of a letter and JSON. docs/dialects/vercel-ui.md says what is concluded
// from what.
package vercelui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// Dialect is the AI SDK's stream protocol for user interfaces. Its chunks carry
// no times.
var Dialect = dialect.Dialect{Name: "vercel-ui", Match: match, Ends: dialect.EndsWith("finish", "abort", "finish_message"), New: newDecoder}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.talk = model.Conversation{Stream: &d.Stream}
	return d
}
