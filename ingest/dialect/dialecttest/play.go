package dialecttest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// StreamID is the id of the stream that Play decodes.
const StreamID = "019b7000-0000-7000-8000-000000000001"

// Outcome is the facts and frames of a decoded stream.
type Outcome struct {
	Frames  []schema.Frame // with envelope and flags, in memory of their own
	Lost    []uint64       // frames missing before each frame
	Titles  []dialect.Title
	Limits  []SessionLimits
	Facts   block.Facts // the latest version of each fact, in order of SeenSeq
	Emitted int         // number of emitted facts, repeats included
	End     int64
}

// Play decodes frames. After each frame cut returns whether a block ends there, and with all that
// no fact is put off. Play overwrites the memory of each frame after its call, which reveals a
// decoder that keeps it.
//
// The error names a broken rule of all dialects.
func Play(d dialect.Dialect, frames []schema.Frame, end int64, cut func(i int) (cut, all bool)) (*Outcome, error) {
	var (
		decoder = d.New(StreamID)
		emitter = dialect.NewEmitter(StreamID)
		parser  fastjson.Parser
		out     = &Outcome{End: end}
		facts   = newMerge()
	)
	for i := range frames {
		f := frames[i]
		f.Raw = bytes.Clone(f.Raw)
		if err := decode(decoder, emitter, &parser, &f); err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
		f.Raw = frames[i].Raw
		out.Frames = append(out.Frames, f)
		out.Lost = append(out.Lost, emitter.TakeLost())
		if c, all := cut(i); c {
			out.limit(emitter)
			taken, putOff := emitter.Take(f.At, all)
			if putOff && all {
				return nil, fmt.Errorf("frame %d: facts were put off with all set", i)
			}
			out.title(emitter)
			if err := facts.add(taken); err != nil {
				return nil, fmt.Errorf("after frame %d: %w", i, err)
			}
		}
	}
	decoder.End(end, emitter)
	taken, _ := emitter.Take(end, true)
	out.title(emitter)
	out.limit(emitter)
	if err := facts.add(taken); err != nil {
		return nil, fmt.Errorf("at the end: %w", err)
	}
	out.Emitted = facts.emitted
	out.Facts = facts.all()
	return out, check(&out.Facts)
}

// title keeps the first title of each session.
func (o *Outcome) title(emitter *dialect.Emitter) {
	for _, title := range emitter.TakeTitles() {
		if !slices.ContainsFunc(o.Titles, func(t dialect.Title) bool { return t.Session == title.Session }) {
			o.Titles = append(o.Titles, title)
		}
	}
}

// SessionLimits are the limits that were stated in a session.
type SessionLimits struct {
	Session string
	schema.Limits
}

// limit keeps the limits of each session as the recorder does.
func (o *Outcome) limit(emitter *dialect.Emitter) {
	for _, l := range emitter.TakeLimits() {
		i := slices.IndexFunc(o.Limits, func(of SessionLimits) bool { return of.Session == l.Session })
		if i < 0 {
			i = len(o.Limits)
			o.Limits = append(o.Limits, SessionLimits{Session: l.Session})
		}
		o.Limits[i].Set(l.Limit)
	}
}

// decode decodes one frame as the recorder does.
func decode(decoder dialect.Decoder, emitter *dialect.Emitter, parser *fastjson.Parser, f *schema.Frame) error {
	content, _ := schema.Unframe(f, nil)
	in := dialect.Input{Frame: f, Data: content.Data, Event: content.Event, ID: content.ID}
	if content.Empty || f.Flags.Has(schema.FlagOversize) {
		in.Data = nil
	} else if wellformed.JSON(in.Data) {
		in.JSON, _ = parser.ParseBytes(in.Data)
	}
	if in.Data != nil && in.JSON == nil && f.Transport != schema.HTTP && string(in.Data) != "[DONE]" {
		f.Flags |= schema.FlagNotJSON
	}
	before := *f
	raw := bytes.Clone(f.Raw)
	emitter.Read(decoder, &in)
	if err := untouched(&before, f, raw); err != nil {
		return err
	}
	own(f)
	scribble(parser, f.Raw, in.Data)
	return nil
}

// untouched returns an error for a change that a decoder may not make.
func untouched(before, after *schema.Frame, raw []byte) error {
	const own = schema.FlagUnknownType | schema.FlagEventGap | schema.FlagEventRepeat | schema.FlagEventBack | schema.FlagUnreadUsage
	switch {
	case before.Seq != after.Seq || before.At != after.At || before.Direction != after.Direction ||
		before.Transport != after.Transport || !bytes.Equal(raw, after.Raw):
		return fmt.Errorf("the decoder changed the frame itself")
	case (before.Flags^after.Flags)&^own&^(before.Flags&schema.FlagNotJSON) != 0: // a decoder may remove FlagNotJSON
		return fmt.Errorf("the decoder changed flags that are not a dialect's: %s, before %s", after.Flags, before.Flags)
	}
	return nil
}

// own copies the envelope, as the recorder does.
func own(f *schema.Frame) {
	e := &f.Envelope
	for _, text := range []*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
		*text = strings.Clone(*text)
	}
}

// scribble overwrites a frame's bytes and the parser's copy of its message. The new message is as
// long as the old one, as the parser would allocate for a longer one.
func scribble(parser *fastjson.Parser, raw, data []byte) {
	for _, text := range [][]byte{raw, data} {
		for i := range text {
			text[i] = '#'
		}
	}
	_, _ = parser.Parse(`"` + strings.Repeat("#", max(len(data), 2)-2) + `"`)
}

// merge joins the facts of several blocks as the store does: by key, the highest version.
type merge struct {
	spans    map[key]schema.Span
	messages map[key]schema.Message
	usages   map[key]schema.Usage
	emitted  int
}

type key struct {
	session, id string
	seq         uint64
}

func newMerge() *merge {
	return &merge{map[key]schema.Span{}, map[key]schema.Message{}, map[key]schema.Usage{}, 0}
}

func (m *merge) add(facts block.Facts) error {
	m.emitted += facts.Len()
	for _, s := range facts.Spans {
		if err := put(m.spans, s, &s.Fact, func(s *schema.Span) *schema.Fact { return &s.Fact }); err != nil {
			return fmt.Errorf("span %s: %w", s.ID, err)
		}
	}
	for _, s := range facts.Messages {
		if err := put(m.messages, s, &s.Fact, func(s *schema.Message) *schema.Fact { return &s.Fact }); err != nil {
			return fmt.Errorf("message %s: %w", s.ID, err)
		}
	}
	for _, s := range facts.Usages {
		if err := put(m.usages, s, &s.Fact, func(s *schema.Usage) *schema.Fact { return &s.Fact }); err != nil {
			return fmt.Errorf("usage %s: %w", s.ID, err)
		}
	}
	return nil
}

func put[T any](into map[key]T, v T, f *schema.Fact, factOf func(*T) *schema.Fact) error {
	if f.ID == "" || f.Version == 0 {
		return fmt.Errorf("no id or no version: %+v", *f)
	}
	k := key{f.Session, f.ID, f.SeenSeq}
	if old, ok := into[k]; ok {
		before := factOf(&old)
		if before.SeenAt != f.SeenAt {
			return fmt.Errorf("seen at %d, before at %d: that is a part of its key", f.SeenAt, before.SeenAt)
		}
		if before.Version > f.Version {
			return fmt.Errorf("version %d after %d", f.Version, before.Version)
		}
	}
	into[k] = v
	return nil
}

func (m *merge) all() block.Facts {
	return block.Facts{
		Spans:    inOrder(m.spans, func(s *schema.Span) *schema.Fact { return &s.Fact }),
		Messages: inOrder(m.messages, func(s *schema.Message) *schema.Fact { return &s.Fact }),
		Usages:   inOrder(m.usages, func(s *schema.Usage) *schema.Fact { return &s.Fact }),
	}
}

func inOrder[T any](from map[key]T, factOf func(*T) *schema.Fact) []T {
	return slices.SortedFunc(maps.Values(from), func(a, b T) int {
		x, y := factOf(&a), factOf(&b)
		if x.SeenSeq != y.SeenSeq {
			return int(int64(x.SeenSeq - y.SeenSeq))
		}
		return strings.Compare(x.ID, y.ID)
	})
}
