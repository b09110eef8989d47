// Package loom reads the streams of Loom agents: the lines of its command line tool, the messages
// of its WebSocket in both directions, and the older single-key form. docs/dialects/loom.md
// describes how it reads them, and where the code differs from the specification.
package loom

import "tapedeck/ingest/dialect"

// Dialect is Loom's streaming protocol.
var Dialect = dialect.Dialect{
	Name: "loom", Match: match,
	Ends: dialect.EndsWith("reply", "run_end", "events", "error"), New: newDecoder,
}

func newDecoder(string) dialect.Decoder { return &decoder{} }
