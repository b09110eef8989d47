package dialecttest

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tapedeck/schema"
)

// Render returns an outcome as text:
//
//	frames
//	0 +0s recv node_enter session=s run=r node=n agent=a id=1 [flags] lost=2
//	spans
//	run@0 "react" ok 0s..1.2s session=s run=r agent=a v=9
//	  node@1 "think" ok 0s..900ms node=n v=8
//	messages
//	assistant@3 of llm@1 300ms..800ms chunks=300ms:1,800ms:7 v=7: "I don't"
//	usages
//	usage@6 of llm@1 at=800ms scope=llm@1 add input=1 output=2 total=3 v=7 {"raw":…}
//	titles
//	"s": Hello
//	limits
//	"s" primary plan=plus window=5h0m0s used=7% resets=2026-01-01T05:00:00Z at=800ms
//
// Times count from the start of the script; "-" is an unknown time. x@3 is the id of a fact that
// began with frame 3 and is unique to this stream. x#3 is the id of a fact that streams with the
// same frames share. v is the frame that changed the fact last. Of session, run, node and agent
// only values that differ from those of the fact's span are shown, and the kind of a message only
// if the id does not have it.
func Render(o *Outcome) string { return render(o, nil) }

// render numbers the frames by numbers, which is indexed by Seq, unless numbers is nil. It leaves
// out frames with the number -1.
func render(o *Outcome, numbers []int) string {
	r := newRenderer(numbers)
	r.line("frames")
	for i := range o.Frames {
		r.frame(&o.Frames[i], o.Lost[i])
	}
	r.facts(o)
	return r.b.String()
}

func newRenderer(numbers []int) *renderer {
	return &renderer{numbers: numbers, spans: map[string]schema.Fact{}, seen: map[string]uint64{}}
}

// facts writes everything but the frames.
func (r *renderer) facts(o *Outcome) {
	children := map[string][]schema.Span{}
	for _, s := range o.Facts.Spans {
		r.spans[s.ID] = s.Fact
		r.seen[s.ID] = s.SeenSeq
	}
	for i := range o.Facts.Messages {
		r.seen[o.Facts.Messages[i].ID] = o.Facts.Messages[i].SeenSeq
	}
	for i := range o.Facts.Usages {
		r.seen[o.Facts.Usages[i].ID] = o.Facts.Usages[i].SeenSeq
	}
	for _, s := range o.Facts.Spans {
		children[s.Parent] = append(children[s.Parent], s)
	}
	if len(o.Facts.Spans) > 0 {
		r.line("spans")
		r.tree(children, "", "")
	}
	if len(o.Facts.Messages) > 0 {
		r.line("messages")
	}
	for i := range o.Facts.Messages {
		r.message(&o.Facts.Messages[i])
	}
	if len(o.Facts.Usages) > 0 {
		r.line("usages")
	}
	for i := range o.Facts.Usages {
		r.usage(&o.Facts.Usages[i])
	}
	if len(o.Titles) > 0 {
		r.line("titles")
	}
	for _, t := range o.Titles {
		r.line(fmt.Sprintf("%q: %s", t.Session, r.brief(t.Text)))
	}
	if len(o.Limits) > 0 {
		r.line("limits")
	}
	for i := range o.Limits {
		for j := range o.Limits[i].Limits {
			r.limit(o.Limits[i].Session, &o.Limits[i].Limits[j])
		}
	}
}

type renderer struct {
	b        strings.Builder
	numbers  []int
	spans    map[string]schema.Fact
	seen     map[string]uint64 // the frame with which each fact began
	abridged bool
}

func (r *renderer) line(words ...string) {
	text := ""
	for _, w := range words {
		if w != "" && text != "" {
			text += " "
		}
		text += w
	}
	r.b.WriteString(text + "\n")
}

// number returns a frame's number in the script. After the last frame it is the end.
func (r *renderer) number(seq uint64) string {
	n := int(seq)
	if r.numbers != nil {
		if n >= len(r.numbers) {
			n = r.numbers[len(r.numbers)-1] + 1
		} else {
			n = r.numbers[n]
		}
	}
	return strconv.Itoa(n)
}

var localID = regexp.MustCompile(`:` + StreamID + `:(\d+)`)

var eventID = regexp.MustCompile(`:event:[0-9a-f]{16}$`)

// id shortens an id that was made from the stream and a frame, or from an event.
func (r *renderer) id(id string) string {
	if seq, ok := r.seen[id]; ok && eventID.MatchString(id) {
		return eventID.ReplaceAllString(id, "#"+r.number(seq))
	}
	return localID.ReplaceAllStringFunc(id, func(found string) string {
		seq, _ := strconv.ParseUint(found[strings.LastIndexByte(found, ':')+1:], 10, 64)
		return "@" + r.number(seq)
	})
}

func at(ns int64) string {
	if ns == 0 {
		return "-"
	}
	return time.Duration(ns - Start).String()
}

// field returns "name=value", quoted if necessary, or "" for an empty value.
func field(name, value string) string {
	if value == "" {
		return ""
	}
	return name + "=" + quoted(value)
}

func quoted(text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == '"' }) && text[0] != '{' {
		return strconv.Quote(text)
	}
	return text
}

func timeField(name string, ns int64) string {
	if ns == 0 {
		return ""
	}
	return name + "=" + at(ns)
}

func (r *renderer) frame(f *schema.Frame, lost uint64) {
	if r.numbers != nil && r.numbers[f.Seq] < 0 {
		return
	}
	direction := map[schema.Direction]string{schema.Receive: "recv", schema.Send: "send"}[f.Direction]
	typ := cmp.Or(quoted(f.Type), "-")
	words := []string{
		r.number(f.Seq), at(f.At), direction, typ, field("session", f.Session), field("run", f.Run),
		field("node", f.Node), field("agent", f.Agent), field("id", f.EventID),
	}
	if f.Flags != 0 {
		words = append(words, "["+f.Flags.String()+"]")
	}
	if lost != 0 {
		words = append(words, "lost="+strconv.FormatUint(lost, 10))
	}
	r.line(words...)
}

// whose returns the fields of a fact that differ from its span's.
func (r *renderer) whose(f *schema.Fact, parent string) string {
	p := r.spans[parent]
	var words []string
	for _, w := range []struct{ name, value, parent string }{
		{"session", f.Session, p.Session}, {"run", f.Run, p.Run}, {"node", f.Node, p.Node}, {"agent", f.Agent, p.Agent},
	} {
		if w.value != w.parent {
			words = append(words, w.name+"="+w.value)
		}
	}
	seen := r.number(f.SeenSeq)
	if id, _, _ := strings.Cut(r.id(f.ID), "."); !strings.HasSuffix(id, "@"+seen) && !strings.HasSuffix(id, "#"+seen) {
		words = append(words, "seen=@"+seen)
	}
	return strings.Join(append(words, "v="+r.number(f.Version-1)), " ")
}

func (r *renderer) tree(children map[string][]schema.Span, parent, indent string) {
	for _, s := range children[parent] {
		r.line(indent+r.id(s.ID), kindOf(string(s.Kind), s.ID), strconv.Quote(s.Name), string(s.Status), at(s.Started)+".."+at(s.Ended),
			timeField("first", s.FirstToken), duration(s.Duration), field("call", s.CallID),
			field("model", s.Model), field("provider", s.Provider), field("error", r.brief(s.Error)),
			field("attributes", r.brief(s.Attributes)), r.whose(&s.Fact, parent))
		r.tree(children, s.ID, indent+"  ")
	}
}

func duration(ns int64) string {
	if ns == 0 {
		return ""
	}
	return "duration=" + time.Duration(ns).String()
}

// kindOf returns a fact's kind if its id does not begin with it.
func kindOf(kind, id string) string {
	if strings.HasPrefix(id, strings.TrimPrefix(kind, "tool_")+":") {
		return ""
	}
	return kind
}

func (r *renderer) message(m *schema.Message) {
	of, complete, chunks := "", "", ""
	if m.Span != "" {
		of = "of " + r.id(m.Span)
	}
	if !m.Complete {
		complete = "growing"
	}
	for i := range m.ChunkAt {
		chunks += fmt.Sprintf(",%s:%d", at(m.ChunkAt[i]), m.ChunkEnd[i])
	}
	switch {
	case chunks == "":
	case r.abridged:
		chunks = "chunks=" + strconv.Itoa(len(m.ChunkAt))
	default:
		chunks = "chunks=" + chunks[1:]
	}
	media := m.Media
	if media == "text" {
		media = ""
	}
	r.line(r.id(m.ID), kindOf(string(m.Kind), m.ID), of, at(m.Started)+".."+at(m.Ended), complete, field("name", m.Name),
		field("media", media), chunks, field("attributes", r.brief(m.Attributes)),
		r.whose(&m.Fact, m.Span)+":", strconv.Quote(r.brief(m.Text)))
}

// billing returns the set fields of a usage's billing. It has the requested model if another one
// served the request.
func billing(u *schema.Usage) (words []string) {
	b := u.Billing
	if b.RequestedModel == u.Model {
		b.RequestedModel = ""
	}
	for i, text := range b.Texts() {
		words = append(words, field(schema.BillingTexts[i], *text))
	}
	for i, n := range b.Counts() {
		if *n != 0 {
			words = append(words, schema.BillingCounts[i]+"="+strconv.FormatUint(*n, 10))
		}
	}
	return words
}

func (r *renderer) usage(u *schema.Usage) {
	of := ""
	if u.Span != "" {
		of = "of " + r.id(u.Span)
	}
	words := []string{r.id(u.ID), of, "at=" + at(u.At), field("scope", r.id(u.Scope)), string(u.Mode)}
	for _, n := range []struct {
		name  string
		count uint64
	}{
		{"input", u.Tokens.Input}, {"cache_read", u.Tokens.CacheRead}, {"cache_write_5m", u.Tokens.CacheWrite5m},
		{"cache_write_1h", u.Tokens.CacheWrite1h}, {"output", u.Tokens.Output}, {"reasoning", u.Tokens.Reasoning},
		{"total", u.Total},
	} {
		if n.count != 0 {
			words = append(words, n.name+"="+strconv.FormatUint(n.count, 10))
		}
	}
	words = append(words, field("model", u.Model), field("provider", u.Provider))
	words = append(words, billing(u)...)
	words = append(words, r.whose(&u.Fact, u.Span))
	if !r.abridged {
		words = append(words, u.Raw)
	}
	r.line(words...)
}
