package dialects_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/file"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// recording is the content of the blocks of one recorded file, joined as readers do.
type recording struct {
	dialects []string
	sessions []string // named by the frames
	raw      []byte
	spans    []schema.Span
	messages []schema.Message
	usages   []schema.Usage
	repeats  int // frames marked as repeats
}

// recordBytes records bytes as a file into one session, with the tap, the detector and the
// decoder for files of users.
func recordBytes(t testing.TB, data []byte) *recording {
	t.Helper()
	return recordInto(t, "examined", data)
}

// recordInto records into a session, or for "" into the sessions that the frames name.
func recordInto(t testing.TB, session string, data []byte) *recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var mem ingesttest.Memory
	sum, err := file.Record(t.Context(), ingest.NewRecorder(&mem, ingest.Settings{}), ingest.StreamOptions{Session: session}, file.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	mem.Wait()
	return combine(mem.Blocks(), mem.Raw(sum.StreamID, schema.Receive))
}

// combine merges the facts of blocks as readers do: it takes the highest version of each record,
// and then joins the records with one id.
func combine(blocks []*block.Block, raw []byte) *recording {
	r := &recording{raw: raw}
	var spans, messages, usages merger
	spans.combine = func(a, b any) any { return mergeSpans(a.(schema.Span), b.(schema.Span)) }
	messages.combine = func(a, b any) any { return longer(a.(schema.Message), b.(schema.Message)) }
	usages.combine = func(a, b any) any { return later(a.(schema.Usage), b.(schema.Usage)) }
	for _, b := range blocks {
		for _, f := range b.Frames {
			r.repeats += count(f.Flags&schema.FlagEventRepeat != 0)
			if f.Session != "" && !slices.Contains(r.sessions, f.Session) {
				r.sessions = append(r.sessions, f.Session)
			}
		}
		if !slices.Contains(r.dialects, b.State.Dialect) {
			r.dialects = append(r.dialects, b.State.Dialect)
		}
		for _, s := range b.Facts.Spans {
			spans.put(b.Session, s.Fact, s)
		}
		for _, m := range b.Facts.Messages {
			messages.put(b.Session, m.Fact, m)
		}
		for _, u := range b.Facts.Usages {
			usages.put(b.Session, u.Fact, u)
		}
	}
	slices.Sort(r.sessions)
	r.spans, r.messages, r.usages = merged[schema.Span](&spans), merged[schema.Message](&messages), merged[schema.Usage](&usages)
	return r
}

// lines returns the recording in the form of testdata/expected.
func (r *recording) lines() []string {
	lines := []string{"dialect " + strings.Join(r.dialects, ", ")}
	for _, s := range r.sessions {
		lines = append(lines, "session "+s)
	}
	lines = append(lines, "runs "+r.statuses(schema.SpanRun), "calls "+r.statuses(schema.SpanLLM))
	for _, s := range r.spans {
		if s.Kind == schema.SpanTool {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("tool %s %s %s", s.Name, s.Status, brief(compact(r.arguments(s.ID))))))
		}
	}
	lines = append(lines, r.agents()...)
	for _, kind := range []schema.MessageKind{schema.MessageUser, schema.MessageThinking, schema.MessageAssistant} {
		if text := r.text(kind); text != "" {
			lines = append(lines, string(kind)+" "+digest(text))
		}
	}
	return append(lines, r.tokens()...)
}

// statuses counts the spans of a kind by status.
func (r *recording) statuses(kind schema.SpanKind) string {
	var words []string
	for _, status := range []schema.Status{
		schema.StatusOK, schema.StatusError, schema.StatusCancelled, schema.StatusRejected,
		schema.StatusWaiting, schema.StatusUnclosed, schema.StatusOpen,
	} {
		n := 0
		for _, s := range r.spans {
			if s.Kind == kind && s.Status == status {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, status))
		}
	}
	return cmp.Or(strings.Join(words, ", "), "none")
}

// agents lists the sub-agents: nodes below a tool call.
func (r *recording) agents() []string {
	var lines []string
	for _, s := range r.spans {
		below := func(kind schema.SpanKind, id string) bool {
			return slices.ContainsFunc(r.spans, func(p schema.Span) bool { return p.Kind == kind && p.ID == id && p.Session == s.Session })
		}
		if s.Kind != schema.SpanNode || !below(schema.SpanTool, s.Parent) {
			continue
		}
		calls, tools := 0, 0
		for _, c := range r.spans {
			if c.Session == s.Session && (c.Parent == s.ID || c.Node != "" && c.Node == s.Node) {
				calls += count(c.Kind == schema.SpanLLM)
				tools += count(c.Kind == schema.SpanTool)
			}
		}
		lines = append(lines, fmt.Sprintf("agent %s with %d calls, %d tools", s.Status, calls, tools))
	}
	return lines
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (r *recording) arguments(span string) string {
	for _, m := range r.messages {
		if m.Kind == schema.MessageArguments && m.Span == span {
			return m.Text
		}
	}
	return ""
}

// text joins the messages of a kind.
func (r *recording) text(kind schema.MessageKind) string {
	var b strings.Builder
	for _, m := range r.messages {
		if m.Kind == kind {
			b.WriteString(m.Text)
		}
	}
	return b.String()
}

// tokens sums up the usages of each model, and of all.
func (r *recording) tokens() []string {
	perModel := r.perModel()
	var lines []string
	for _, model := range slices.Sorted(maps.Keys(perModel)) {
		if t := perModel[model]; t.Sum() > 0 {
			lines = append(lines, "tokens "+cmp.Or(model, "-")+buckets(t))
		}
	}
	if len(lines) > 1 {
		lines = append(lines, "tokens all"+buckets(r.total()))
	}
	return lines
}
