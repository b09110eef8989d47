package terminal

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"tapedeck/internal/console"
	"tapedeck/replay/terminal/terminaltest"
	"tapedeck/schema"
)

const second = int64(time.Second)

func span(kind schema.SpanKind, id, name string, from, to int64, status schema.Status) schema.Span {
	return schema.Span{Fact: schema.Fact{ID: id, Run: "r"}, Kind: kind, Name: name, Started: from * second, Ended: to * second, Status: status}
}

func spoken(kind schema.MessageKind, id, of, text string, at ...int64) schema.Message {
	m := schema.Message{Fact: schema.Fact{ID: id, Run: "r"}, Kind: kind, Span: of, Text: text, Started: at[0] * second, Complete: true}
	for i, s := range at[1:] {
		m.ChunkAt = append(m.ChunkAt, s*second)
		m.ChunkEnd = append(m.ChunkEnd, uint32(len(text)*(i+1)/len(at[1:])))
	}
	return m
}

// sample returns a run with a tool that works and one that fails.
func sample() *Story {
	call := span(schema.SpanLLM, "llm", "think", 100, 106, schema.StatusOK)
	call.FirstToken = 102 * second
	return NewStory(Facts{
		Start: 100 * second,
		Spans: []schema.Span{
			span(schema.SpanRun, "run", "agent", 100, 120, schema.StatusOK),
			call,
			span(schema.SpanTool, "t1", "bash", 106, 109, schema.StatusOK),
			span(schema.SpanTool, "t2", "read", 110, 112, schema.StatusError),
		},
		Messages: []schema.Message{
			spoken(schema.MessageUser, "u", "", "Do it", 100),
			spoken(schema.MessageThinking, "th", "", "hmm hmm", 102, 102, 103),
			spoken(schema.MessageAssistant, "a", "", "I will do it.\nNow.", 104, 104, 105),
			spoken(schema.MessageArguments, "g1", "t1", `{"cmd": "ls"}`, 105),
			spoken(schema.MessageOutput, "o1", "t1", "one\ntwo\n", 107, 107, 108),
			spoken(schema.MessageResult, "r2", "t2", "no such file", 112),
			spoken(schema.MessageReply, "re", "", "I will do it.\nNow.", 120),
		},
		Usages: []schema.Usage{
			{Fact: schema.Fact{ID: "x"}, Mode: schema.UsageRunning, Scope: "s", At: 106 * second, Tokens: schema.Tokens{Input: 10, Output: 1}},
			{Fact: schema.Fact{ID: "y"}, Mode: schema.UsageRunning, Scope: "s", At: 115 * second, Tokens: schema.Tokens{Input: 25, Output: 4}},
			{Fact: schema.Fact{ID: "z"}, Mode: schema.UsageAdd, At: 118 * second, Tokens: schema.Tokens{Input: 5}},
		},
	})
}

func textOf(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		for _, p := range r {
			b.WriteString(p.text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// At every moment the story shows what had happened by then, and no more.
func TestStoryUnfolds(t *testing.T) {
	s := sample()
	for _, tc := range []struct {
		at         int64
		want, lack []string
	}{
		{99, nil, []string{"run", "user"}},
		{101, []string{"── run agent", "user", "Do it", "waiting for think  1.0 s"}, []string{"hmm"}},
		{102, []string{"  hmm\n"}, []string{"hmm hmm"}},
		{103, []string{"hmm hmm"}, []string{"I will"}},
		{104, []string{"I will do"}, []string{"Now"}},
		{105, []string{"I will do it.\n  Now."}, []string{"bash"}},
		{107, []string{"bash  {\"cmd\": \"ls\"}", "1.0 s", "│ one\n"}, []string{"two", "✓"}},
		{109, []string{"✓ bash", "3.0 s", "│ one\n  │ two"}, []string{"read", "✗"}},
		{113, []string{"✗ read", "2.0 s", "│ no such file"}, []string{"ended"}},
		{120, []string{"── run ended after 20.0 s"}, []string{"waiting"}},
	} {
		got := textOf(s.rows(tc.at*second, 60, 40))
		for _, w := range tc.want {
			if !strings.Contains(got, w) {
				t.Errorf("at %d s %q is missing in\n%s", tc.at, w, got)
			}
		}
		for _, l := range tc.lack {
			if strings.Contains(got, l) {
				t.Errorf("at %d s there is %q in\n%s", tc.at, l, got)
			}
		}
		if strings.Count(got, "Now.") > 1 {
			t.Errorf("at %d s the reply is shown twice:\n%s", tc.at, got)
		}
	}
	for at, want := range map[int64]uint64{105: 0, 106: 11, 115: 29, 120: 34} {
		if n := s.tokens(at * second); n.Sum() != want {
			t.Errorf("at %d s %d tokens, want %d", at, n.Sum(), want)
		}
	}
	for _, tc := range []struct {
		from    int64
		forward bool
		to      int64
	}{{99, true, 100}, {100, true, 106}, {106, true, 110}, {110, true, 0}, {110, false, 106}, {100, false, 0}} {
		if at, ok := s.turn(tc.from*second, tc.forward); at != tc.to*second || ok != (tc.to != 0) {
			t.Errorf("from %d s, forward %v: got %d", tc.from, tc.forward, at/second)
		}
	}
}

// What several streams have of a call is put together.
func TestStoryMergesViews(t *testing.T) {
	end := span(schema.SpanTool, "t", "", 0, 105, schema.StatusOK)
	again := span(schema.SpanTool, "t", "", 0, 109, schema.StatusOK)
	s := NewStory(Facts{Spans: []schema.Span{again, span(schema.SpanTool, "t", "bash", 101, 0, schema.StatusOpen), end}})
	if len(s.entries) != 1 {
		t.Fatalf("%d entries", len(s.entries))
	}
	if sp := s.entries[0].span; sp.Started != 101*second || sp.Ended != 105*second || sp.Name != "bash" || sp.Status != schema.StatusOK {
		t.Errorf("got %+v", sp)
	}
}

// hostile are texts that a terminal, or a careless layout, would trip over.
var hostile = rapid.OneOf(
	rapid.SampledFrom([]string{
		"", "\x1b[2J\x1b[31m", "\x1b]0;title\x07", "\x9b31m", "a\tb\r\nc\rd", "\u202eabc", "日本語のテキスト", "👩‍👩‍👧 e\u0301", "\xff\xfe",
		strings.Repeat("x", 500), strings.Repeat("word ", 200), "\x00\x01", "\u2028\u2029", "  lead", "\x1b",
	}),
	rapid.String(),
)

// Whatever was recorded, and whatever the size of the screen: nothing of it is
// obeyed by the terminal, and no line is wider than the screen.
func TestNothingIsObeyed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string { return hostile.Draw(rt, label) }
		f := Facts{Start: second}
		for i := range rapid.IntRange(0, 8).Draw(rt, "spans") {
			kind := rapid.SampledFrom([]schema.SpanKind{schema.SpanRun, schema.SpanTool, schema.SpanLLM}).Draw(rt, "kind")
			sp := span(kind, fmt.Sprint(i), text("name"), rapid.Int64Range(0, 20).Draw(rt, "from"), rapid.Int64Range(0, 20).Draw(rt, "to"),
				rapid.SampledFrom([]schema.Status{schema.StatusOK, schema.StatusError, schema.Status(text("status"))}).Draw(rt, "status"))
			sp.Error, sp.Model = text("error"), text("model")
			f.Spans = append(f.Spans, sp)
		}
		for i := range rapid.IntRange(0, 8).Draw(rt, "messages") {
			m := spoken(rapid.SampledFrom([]schema.MessageKind{
				schema.MessageUser, schema.MessageThinking, schema.MessageArguments, schema.MessageOutput, schema.MessageResult, schema.MessageError,
			}).Draw(rt, "message"), fmt.Sprint(i), fmt.Sprint(i%4), text("text"), 1, 3, 5, 7)
			m.Name = text("tool")
			f.Messages = append(f.Messages, m)
		}
		width, height := rapid.IntRange(1, 120).Draw(rt, "width"), rapid.IntRange(1, 50).Draw(rt, "height")
		out := terminaltest.New(width, height)
		p := &viewer{story: NewStory(f), storyKnown: true, raw: rapid.Bool().Draw(rt, "raw"), help: rapid.Bool().Draw(rt, "help")}
		p.screen = screen{w: out, colours: rapid.Bool().Draw(rt, "colours")}
		p.screen.resize(width, height)
		p.status.title, p.status.note = text("title"), text("note")
		p.playback = playback{state: text("state"), last: text("last"), position: text("position"), marker: text("marker"), speed: 1, duration: 20 * time.Second}
		p.playback.at = time.Duration(rapid.Int64Range(0, 25).Draw(rt, "at")) * time.Second
		p.playback.log = []message{{Type: text("type"), Text: text("frame"), Direction: text("direction")}}
		if _, err := out.Write([]byte(enter)); err != nil {
			rt.Fatal(err)
		}
		if err := p.draw(); err != nil {
			rt.Fatal(err)
		}
		if strange := out.Strange(); len(strange) > 0 {
			rt.Fatalf("the terminal is sent %q", strange)
		}
		for _, r := range p.story.rows(int64(p.playback.at), width, height) {
			if got := r.fit(width).extent(); got > width {
				rt.Fatalf("a row of %d columns on a screen of %d", got, width)
			}
		}
	})
}

// Lines are as wide as they may be, and nothing but white space is lost.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, most := hostile.Draw(rt, "text"), rapid.IntRange(2, 60).Draw(rt, "most")
		dense := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		lines := wrap(text, most)
		for _, l := range lines {
			if extent(l) > most {
				rt.Fatalf("%q is %d columns wide, not %d", l, extent(l), most)
			}
		}
		plain := strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text)
		if got, want := dense(strings.Join(lines, "")), dense(console.Visible(plain, "")); got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
	})
	if got := wrap("the quick brown fox", 10); strings.Join(got, "|") != "the quick|brown fox" {
		t.Errorf("got %q", got)
	}
}
