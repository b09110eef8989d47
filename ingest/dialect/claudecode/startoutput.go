package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// output compares what the lines of a message state about its output with what they contain. Lines
// of a conversation's file may all have the usage of the message's start, whose output is a
// placeholder of a few tokens. A stop_reason of null does not show it: it is null on every line of
// most files.
type output struct {
	lines   int    // with a usage
	stated  uint64 // by all of them
	differs bool   // they state different counts
	ended   bool   // one of them states a stop_reason
	bytes   int    // of texts, thoughts and arguments
}

// Bounds of a placeholder: the output of a message's start, tokens, and the bytes of content for
// each token from which on there must have been more.
const (
	startTokens   = 24
	bytesPerToken = 8
)

// add adds a line of the message.
func (o *output) add(usage, content []byte, ended bool) {
	if n, ok := dialect.RawUint(dialect.RawMember(usage, "output_tokens")); ok {
		o.differs = o.differs || o.lines > 0 && n != o.stated
		o.lines, o.stated = o.lines+1, n
	}
	o.ended = o.ended || ended
	dialect.RawElements(content, func(block []byte) bool {
		for _, name := range [...]string{"text", "thinking", "input"} {
			o.bytes += len(dialect.RawMember(block, name))
		}
		return true
	})
}

// isOfStart reports whether the lines state the output count at the message's start.
func (o *output) isOfStart() bool {
	return o.lines > 0 && !o.differs && !o.ended && o.stated <= startTokens && o.bytes > int(o.stated+1)*bytesPerToken
}

// describe sets the attributes of the call of a message: its stop reason, if a line states one, and
// whether its output count is the count at its start.
func (a *actor) describe(stopReason []byte) {
	var attrs dialect.Attributes
	if !dialect.RawNull(stopReason) {
		attrs.AddRaw("stop_reason", stopReason)
	}
	if a.Whole && a.output.isOfStart() {
		attrs.AddRaw(schema.StartOutput, []byte("true"))
	}
	if text := attrs.Text(); text != "" || a.call.Attributes == startOutputOnly {
		a.call.Attributes = text
	}
}

// startOutputOnly are the attributes of a call whose lines so far state the output count at its
// start.
const startOutputOnly = `{"` + schema.StartOutput + `":true}`

// stateCost sets the cost of a message that lines of older versions state. The lines of a message
// repeat it.
func (a *actor) stateCost(l *line) {
	cost := dialect.RawMember(l.data, "costUSD")
	if a.usage == nil || len(cost) == 0 || cost[0] < '0' || cost[0] > '9' {
		return
	}
	a.usage.StateCost(dialect.Alias(cost), "USD")
	a.Emitter.ChangedUsage(a.usage, a.Frame)
}
