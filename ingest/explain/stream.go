// Package explain describes what a dialect derives from each frame of a stream, for authors of
// mapping files.
package explain

import (
	"fmt"
	"unicode/utf8"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Stream decodes the frames of one stream. It keeps the latest version of every fact.
type Stream struct {
	Totals Totals

	decoder  dialect.Decoder
	emitter  *dialect.Emitter
	parser   ingest.Parser
	spans    map[string]schema.Status
	messages map[string]int // length of the text
	usages   map[string]schema.Usage
}

// Line is what the dialect derived from one frame.
type Line struct {
	Seq    uint64   `json:"seq"`
	Type   string   `json:"type"`
	Became []string `json:"became"` // empty if the frame changed nothing
	// Unknown reports that no rule or handler of the dialect applies to the frame.
	Unknown bool `json:"unknown"`
	NotJSON bool `json:"not_json"`
	Empty   bool `json:"empty"` // the frame has no message
	// Missing lists the keys of a dialect file that apply to the frame and have no value in it, if
	// the frame changed nothing.
	Missing []string `json:"missing,omitempty"`
}

// New returns the Stream of a dialect.
func New(d dialect.Dialect, streamID string) *Stream {
	return &Stream{
		Totals:  Totals{Unmatched: map[string]uint64{}, Runs: map[schema.Status]uint64{}},
		decoder: d.New(streamID), emitter: dialect.NewEmitter(streamID),
		spans: map[string]schema.Status{}, messages: map[string]int{}, usages: map[string]schema.Usage{},
	}
}

// Frame decodes the next frame. At, Seq, Direction, Transport, Raw and the flags of the tap must be
// set. It overwrites the envelope.
func (s *Stream) Frame(f *schema.Frame) Line {
	f.Envelope = schema.Envelope{}
	f.Flags &^= schema.FlagUnknownType | schema.FlagEventGap | schema.FlagEventRepeat | schema.FlagEventBack | schema.FlagUnreadUsage
	line := Line{Seq: f.Seq}
	s.parser.Parse(f, func(in *dialect.Input) {
		line.Empty = len(in.Data) == 0
		s.emitter.Read(s.decoder, in)
	})
	s.emitter.TakeLost()
	line.Type = string([]byte(f.Type)) // the type is valid until the decoder's next call
	line.Unknown, line.NotJSON = f.Flags.Has(schema.FlagUnknownType), f.Flags.Has(schema.FlagNotJSON)
	facts, _ := s.emitter.Take(f.At, true)
	line.Became = s.changes(&facts)
	s.Totals.count(&line)
	return line
}

// End closes open facts at the end of the stream, and describes the changes.
func (s *Stream) End(at int64) []string {
	s.decoder.End(at, s.emitter)
	facts, _ := s.emitter.Take(at, true)
	became := s.changes(&facts)
	s.Totals.settle(s)
	return became
}

// changes describes the facts that changed.
func (s *Stream) changes(facts *block.Facts) (became []string) {
	for i := range facts.Spans {
		became = append(became, s.span(&facts.Spans[i])...)
	}
	for i := range facts.Messages {
		if text := s.message(&facts.Messages[i]); text != "" {
			became = append(became, text)
		}
	}
	for i := range facts.Usages {
		u := &facts.Usages[i]
		if was, known := s.usages[u.ID]; !known || was.Tokens != u.Tokens {
			became = append(became, usageText(u))
		}
		s.usages[u.ID] = *u
	}
	return became
}

// span describes a span that began, ended or changed its status.
func (s *Stream) span(x *schema.Span) (became []string) {
	was, known := s.spans[x.ID]
	name := spanName(x)
	if !known {
		s.Totals.began(x)
		if x.Kind == schema.SpanTool {
			became = append(became, name)
		} else {
			became = append(became, name+" started")
		}
	}
	s.spans[x.ID] = x.Status
	if x.Kind == schema.SpanRun {
		if known {
			s.Totals.Runs[was]--
		}
		s.Totals.Runs[x.Status]++
	}
	if x.Status == was || !known && x.Status == schema.StatusOpen {
		return became
	}
	switch {
	case x.Status.Ended():
		became = append(became, name+" ended: "+string(x.Status))
	default:
		became = append(became, name+" "+string(x.Status))
	}
	return became
}

// spanName returns a span's name for display.
func spanName(x *schema.Span) string {
	kind := map[schema.SpanKind]string{
		schema.SpanRun: "run", schema.SpanNode: "node", schema.SpanLLM: "model call", schema.SpanTool: "tool call",
	}[x.Kind]
	if x.Name != "" {
		kind += " " + x.Name
	}
	return kind
}

// message describes how much text was added to a message. It returns "" if only other parts of the
// message changed.
func (s *Stream) message(m *schema.Message) string {
	was, known := s.messages[m.ID]
	s.messages[m.ID] = len(m.Text)
	if known && was == len(m.Text) {
		return ""
	}
	kind := map[schema.MessageKind]string{
		schema.MessageAssistant: "text", schema.MessageArguments: "arguments", schema.MessageOutput: "output",
		schema.MessageResult: "result",
	}[m.Kind]
	if kind == "" {
		kind = string(m.Kind)
	}
	n := utf8.RuneCountInString(m.Text[min(was, len(m.Text)):])
	s.Totals.said(m.Kind, uint64(n))
	return fmt.Sprintf("%s +%d", kind, n)
}

// usageText describes a usage report.
func usageText(u *schema.Usage) string {
	text := fmt.Sprintf("usage in %d", u.Tokens.Input)
	for _, part := range []struct {
		name string
		n    uint64
	}{
		{"cache read", u.Tokens.CacheRead}, {"cache write", u.Tokens.CacheWrite5m + u.Tokens.CacheWrite1h},
		{"out", u.Tokens.Output}, {"reasoning", u.Tokens.Reasoning},
	} {
		if part.n > 0 || part.name == "out" {
			text += fmt.Sprintf(", %s %d", part.name, part.n)
		}
	}
	if u.Mode == schema.UsageRunning {
		text += " so far"
	}
	return text
}
