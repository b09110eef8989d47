package explain

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Totals adds up the results of streams.
type Totals struct {
	Frames    uint64                   `json:"frames"`
	NotJSON   uint64                   `json:"not_json"`
	Empty     uint64                   `json:"empty"`   // frames without a message
	Nothing   uint64                   `json:"nothing"` // frames of known types that changed nothing
	Runs      map[schema.Status]uint64 `json:"runs"`    // by status
	Calls     uint64                   `json:"model_calls"`
	Tools     uint64                   `json:"tool_calls"`
	Text      uint64                   `json:"text_characters"`
	Thinking  uint64                   `json:"thinking_characters"`
	Reports   uint64                   `json:"usages"`
	Tokens    schema.Tokens            `json:"tokens"`
	Unmatched map[string]uint64        `json:"unmatched"` // frames without a rule, by type
}

// count adds a frame.
func (t *Totals) count(l *Line) {
	t.Frames++
	switch {
	case l.NotJSON:
		t.NotJSON++
	case l.Empty:
		t.Empty++
	case l.Unknown:
		t.Unmatched[l.Type]++
	case len(l.Became) == 0:
		t.Nothing++
	}
}

// began adds a span.
func (t *Totals) began(x *schema.Span) {
	switch x.Kind {
	case schema.SpanLLM:
		t.Calls++
	case schema.SpanTool:
		t.Tools++
	case schema.SpanRun, schema.SpanNode:
	}
}

// said adds text.
func (t *Totals) said(kind schema.MessageKind, n uint64) {
	switch kind {
	case schema.MessageAssistant:
		t.Text += n
	case schema.MessageThinking:
		t.Thinking += n
	default:
	}
}

// settle adds the tokens of a stream at its end. For running totals it adds the last report.
func (t *Totals) settle(s *Stream) {
	t.Reports = uint64(len(s.usages))
	last := map[string]schema.Usage{}
	for _, u := range s.usages {
		key := u.Scope
		if u.Mode == schema.UsageRunning && last[key].Version > u.Version {
			continue
		}
		last[key] = u
	}
	for _, u := range last {
		t.Tokens = dialect.AddTokens(t.Tokens, u.Tokens)
	}
}

// Add adds the totals of another stream.
func (t *Totals) Add(o *Totals) {
	t.Frames += o.Frames
	t.NotJSON += o.NotJSON
	t.Empty += o.Empty
	t.Nothing += o.Nothing
	t.Calls += o.Calls
	t.Tools += o.Tools
	t.Text += o.Text
	t.Thinking += o.Thinking
	t.Reports += o.Reports
	t.Tokens = dialect.AddTokens(t.Tokens, o.Tokens)
	for status, n := range o.Runs {
		t.Runs[status] += n
	}
	for typ, n := range o.Unmatched {
		t.Unmatched[typ] += n
	}
}
