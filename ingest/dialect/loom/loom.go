// Package loom reads the streams of Loom agents: the lines that its command
// line tool prints, the messages of its WebSocket in both directions, and the
// older single-key form. docs/dialects/loom.md says what is concluded from
// what, and where the code differs from the specification.
package loom

import "tapedeck/ingest/dialect"

// Dialect is Loom's streaming protocol.
var Dialect = dialect.Dialect{Name: "loom", Match: match, Ends: dialect.EndsWith("reply", "run_end", "events", "error"), New: newDecoder}

func newDecoder(string) dialect.Decoder { return &decoder{} }
