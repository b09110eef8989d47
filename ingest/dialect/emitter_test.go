package dialect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tapedeck/schema"
)

const stream = "019b7000-0000-7000-8000-000000000001"

// frame makes a frame that arrives seq milliseconds after the first second.
func frame(seq uint64) *schema.Frame { return &schema.Frame{Seq: seq, At: 1e9 + int64(seq)*1e6} }

func TestTakeGivesWhatChanged(t *testing.T) {
	b := NewEmitter(stream)
	one := b.OpenSpan(schema.SpanTool, "one", "read", frame(0))
	two := b.OpenSpan(schema.SpanTool, "two", "bash", frame(1))
	u := b.Use("u", "two", schema.UsageAdd, schema.Tokens{Input: 1}, frame(1))
	facts, putOff := b.Take(frame(1).At, false)
	if len(facts.Spans) != 2 || len(facts.Usages) != 1 || putOff {
		t.Fatalf("first: %+v, put off %t", facts, putOff)
	}
	if facts, _ := b.Take(frame(2).At, false); facts.Len() != 0 {
		t.Fatalf("nothing changed, yet there is %+v", facts)
	}
	b.CloseSpan(two, schema.StatusOK, frame(3))
	two.Error = "set by the same change"
	b.ChangedSpan(two, frame(3))
	u.Tokens.Input = 7
	b.ChangedUsage(u, frame(4))
	facts, _ = b.Take(frame(4).At, false)
	if len(facts.Spans) != 1 || len(facts.Usages) != 1 {
		t.Fatalf("second: %+v", facts)
	}
	want := schema.Span{
		Fact: schema.Fact{ID: "two", SeenAt: frame(1).At, SeenSeq: 1, Version: 4},
		Kind: schema.SpanTool, Name: "bash", Status: schema.StatusOK,
		Started: frame(1).At, Ended: frame(3).At, Error: "set by the same change",
	}
	if diff := cmp.Diff(want, facts.Spans[0]); diff != "" {
		t.Error(diff)
	}
	if got := facts.Usages[0]; got.Tokens.Input != 7 || got.Version != 5 || got.At != frame(4).At || got.SeenSeq != 1 {
		t.Errorf("usage %+v", got)
	}
	one.Name = "changed without a word"
	if facts, _ := b.Take(frame(5).At, true); facts.Len() != 0 {
		t.Errorf("no change was made, yet there is %+v", facts)
	}
}

// Facts that were taken do not change with later changes.
func TestTakenFactsAreCopies(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	b.Append(m, []byte("ab"), frame(1))
	b.Append(m, []byte("cd"), frame(2))
	facts, _ := b.Take(frame(2).At, true)
	taken := facts.Messages[0]
	b.SetText(m, []byte("XYZ"), frame(3))
	b.Append(m, []byte("!"), frame(4))
	b.Complete(m, frame(4))
	facts, _ = b.Take(frame(4).At, false)
	complete := facts.Messages[0]
	b.Append(m, []byte("later"), frame(5))
	b.SetText(m, []byte("another one"), frame(6))
	b.Append(m, []byte("."), frame(7))
	if complete.Text != "XYZ!" || !cmp.Equal(complete.ChunkEnd, []uint32{3, 4}) || !cmp.Equal(complete.ChunkAt, []int64{frame(3).At, frame(4).At}) {
		t.Errorf("the complete message changed: %+v", complete)
	}
	if facts, _ = b.Take(frame(7).At, true); facts.Messages[0].Text != "another one." {
		t.Errorf("after that: %+v", facts.Messages[0])
	}
	if taken.Text != "abcd" || !cmp.Equal(taken.ChunkEnd, []uint32{2, 4}) || !cmp.Equal(taken.ChunkAt, []int64{frame(1).At, frame(2).At}) {
		t.Errorf("the taken message changed: %+v", taken)
	}
}

// Facts that were taken do not change when their text is shortened and grows again.
func TestShortenedFactsAreCopies(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	b.Append(m, []byte("ab"), frame(1))
	b.Append(m, []byte("cd"), frame(2))
	b.Complete(m, frame(2))
	facts, _ := b.Take(frame(2).At, false)
	taken := facts.Messages[0]
	b.SetText(m, []byte("a"), frame(3))
	b.Append(m, []byte("XYZ"), frame(4))
	if taken.Text != "abcd" || !cmp.Equal(taken.ChunkEnd, []uint32{2, 4}) || !cmp.Equal(taken.ChunkAt, []int64{frame(1).At, frame(2).At}) {
		t.Errorf("the taken message changed: %+v", taken)
	}
	facts, _ = b.Take(frame(4).At, true)
	if got := facts.Messages[0]; got.Text != "aXYZ" || !cmp.Equal(got.ChunkEnd, []uint32{1, 4}) {
		t.Errorf("after that: %+v", got)
	}
}

func TestOpenMessagesArePutOff(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	emits := func(now int64, all, want, wantPutOff bool) {
		t.Helper()
		facts, putOff := b.Take(now, all)
		if got := len(facts.Messages) == 1; got != want || putOff != wantPutOff {
			t.Errorf("given %t (want %t), put off %t (want %t)", got, want, putOff, wantPutOff)
		}
	}
	start := frame(0).At
	b.Append(m, []byte("12345678"), frame(1))
	emits(start, false, true, false) // for the first time
	emits(start, false, false, false)
	b.Append(m, []byte("9"), frame(2))
	emits(start+1e6, false, false, true) // not doubled, less than a second later
	emits(start+1e6, false, false, true) // and it still waits
	b.Append(m, []byte("0123456"), frame(3))
	emits(start+2e6, false, true, false) // doubled
	b.Append(m, []byte("x"), frame(4))
	emits(start+3e6, false, false, true)
	emits(start+2e6+retell, false, true, false) // a second later
	b.Append(m, []byte("y"), frame(5))
	emits(start+2e6+retell, true, true, false) // with all set
	b.Append(m, []byte("z"), frame(6))
	b.Complete(m, frame(6))
	emits(start+2e6+retell, false, true, false) // complete
}

func TestPutOffMessageComesOnceWithItsLastText(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	other := b.OpenMessage(schema.MessageThinking, "o", frame(0))
	b.Append(m, []byte("0123456789"), frame(1))
	b.Append(other, []byte("0123456789"), frame(1))
	b.Take(frame(1).At, false)
	b.Append(m, []byte("a"), frame(2))
	b.Append(other, []byte("b"), frame(2))
	if facts, putOff := b.Take(frame(2).At, false); facts.Len() != 0 || !putOff {
		t.Fatalf("%+v, put off %t", facts, putOff)
	}
	b.Complete(other, frame(3))
	b.Append(m, []byte("c"), frame(4))
	facts, putOff := b.Take(frame(4).At, false)
	if len(facts.Messages) != 1 || facts.Messages[0].ID != "o" || !putOff {
		t.Fatalf("%+v, put off %t", facts, putOff)
	}
	facts, putOff = b.Take(frame(4).At, true)
	if len(facts.Messages) != 1 || facts.Messages[0].Text != "0123456789ac" || facts.Messages[0].Version != 5 || putOff {
		t.Fatalf("%+v, put off %t", facts, putOff)
	}
}

func TestChunks(t *testing.T) {
	at := func(seqs ...uint64) (times []int64) {
		for _, s := range seqs {
			times = append(times, frame(s).At)
		}
		return times
	}
	tests := []struct {
		name string
		make func(b *Emitter) *Message
		text string
		at   []int64
		end  []uint32
	}{
		{"in one piece", func(b *Emitter) *Message {
			return b.Say(schema.MessageUser, "m", []byte("hi"), frame(1))
		}, "hi", nil, nil},
		{"nothing", func(b *Emitter) *Message {
			return b.Say(schema.MessageUser, "m", nil, frame(1))
		}, "", nil, nil},
		{"one piece, later than it began", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.Append(m, []byte("hi"), frame(2))
			return m
		}, "hi", at(2), []uint32{2}},
		{"several, one of them empty", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.Append(m, []byte("a"), frame(1))
			b.Append(m, nil, frame(2))
			b.Append(m, []byte("bc"), frame(3))
			return m
		}, "abc", at(1, 3), []uint32{1, 3}},
		{"two in one frame", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.Append(m, []byte("a"), frame(1))
			b.Append(m, []byte("b"), frame(1))
			return m
		}, "ab", at(1, 1), []uint32{1, 2}},
		{"a growing snapshot", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.SetText(m, []byte("ab"), frame(1))
			b.SetText(m, []byte("ab"), frame(2))
			b.SetText(m, []byte("abc"), frame(3))
			return m
		}, "abc", at(1, 3), []uint32{2, 3}},
		{"a text that replaces", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.Append(m, []byte("ab"), frame(1))
			b.Append(m, []byte("cd"), frame(2))
			b.SetText(m, []byte("x"), frame(3))
			return m
		}, "x", at(3), []uint32{1}},
		{"blanks taken away at the end", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.Append(m, []byte("ab"), frame(1))
			b.Append(m, []byte("cd "), frame(2))
			b.Append(m, []byte("  "), frame(3))
			b.SetText(m, []byte("abcd"), frame(4))
			b.Append(m, []byte("e"), frame(5))
			return m
		}, "abcde", at(1, 2, 5), []uint32{2, 4, 5}},
		{"the beginning of one piece", func(b *Emitter) *Message {
			m := b.Say(schema.MessageUser, "m", []byte("hi  "), frame(1))
			b.SetText(m, []byte("hi"), frame(2))
			return m
		}, "hi", nil, nil},
		{"an empty text that replaces", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			b.Append(m, []byte("ab"), frame(2))
			b.SetText(m, nil, frame(3))
			b.Append(m, []byte("c"), frame(4))
			return m
		}, "c", at(4), []uint32{1}},
		{"many", func(b *Emitter) *Message {
			m := b.OpenMessage(schema.MessageUser, "m", frame(1))
			for i := range uint64(100) {
				b.Append(m, []byte("0123456789"), frame(1+i))
			}
			return m
		}, strings.Repeat("0123456789", 100), nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := NewEmitter(stream)
			m := test.make(b)
			facts, _ := b.Take(frame(9).At, true)
			got := facts.Messages[0]
			if got.Text != test.text || m.TextLen() != len(test.text) || string(m.TextSoFar()) != test.text {
				t.Errorf("text %q", got.Text)
			}
			if test.name == "many" {
				if len(got.ChunkAt) != 100 || got.ChunkEnd[99] != 1000 || got.ChunkEnd[0] != 10 {
					t.Errorf("chunks %v %v", got.ChunkAt, got.ChunkEnd)
				}
				return
			}
			if !cmp.Equal(got.ChunkAt, test.at) || !cmp.Equal(got.ChunkEnd, test.end) {
				t.Errorf("chunks %v %v, want %v %v", got.ChunkAt, got.ChunkEnd, test.at, test.end)
			}
		})
	}
}

func TestTitles(t *testing.T) {
	b := NewEmitter(stream)
	b.SetTitle("s", []byte("  \n\t "))
	b.SetTitle("s", []byte("\n First\r\n line \x00 of it "))
	b.SetTitle("s", []byte("second"))
	b.SetTitle("", []byte(strings.Repeat("ü", 200)))
	want := []Title{{"s", "First line of it"}, {"", strings.Repeat("ü", 120) + "…"}}
	if diff := cmp.Diff(want, b.TakeTitles()); diff != "" {
		t.Error(diff)
	}
	if again := b.TakeTitles(); again != nil {
		t.Errorf("given a second time: %v", again)
	}
	session := []byte("key")
	b.SetTitle(Alias(session), []byte("x"))
	session[0] = '#'
	if got := b.TakeTitles(); got[0].Session != "key" {
		t.Errorf("the session's name was not copied: %q", got[0].Session)
	}
}

func TestLost(t *testing.T) {
	b := NewEmitter(stream)
	b.Lost(2)
	b.Lost(3)
	if n := b.TakeLost(); n != 5 {
		t.Errorf("lost %d, want 5", n)
	}
	if n := b.TakeLost(); n != 0 {
		t.Errorf("emitted twice: %d", n)
	}
}

func TestLocalID(t *testing.T) {
	if got, want := NewEmitter(stream).LocalID("tool", frame(42)), "tool:"+stream+":42"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	long := strings.Repeat("x", 300)
	if got, want := NewEmitter(long).LocalID("tool", frame(1)), "tool:"+long+":1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A message that never ends keeps a part of its text, in whole characters, and the number of
// bytes left out.
func TestTextIsBounded(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	m.Attributes = `{"a":1}`
	chunk := []byte(strings.Repeat("ü", 50_000) + "x") // an odd number of bytes
	n := 0
	for i := range 60 {
		b.Append(m, chunk, frame(uint64(i)))
		n += len(chunk)
	}
	facts, _ := b.Take(frame(60).At, true)
	got := facts.Messages[0]
	if len(got.Text) > MaxText || len(got.Text) < MaxText-1 || !utf8.ValidString(got.Text) {
		t.Errorf("%d bytes are kept, valid: %t", len(got.Text), utf8.ValidString(got.Text))
	}
	if want := fmt.Sprintf(`{"a":1,"truncated_bytes":%d}`, n-len(got.Text)); got.Attributes != want {
		t.Errorf("attributes %s, want %s", got.Attributes, want)
	}
	if last := got.ChunkEnd[len(got.ChunkEnd)-1]; int(last) != len(got.Text) {
		t.Errorf("the chunks end at %d, the text at %d", last, len(got.Text))
	}
	b.SetText(m, []byte(strings.Repeat("y", MaxText+5)), frame(61))
	b.SetText(m, []byte(strings.Repeat("y", MaxText+7)), frame(62))
	facts, _ = b.Take(frame(62).At, true)
	if got = facts.Messages[0]; len(got.Text) != MaxText || got.Attributes != `{"a":1,"truncated_bytes":7}` {
		t.Errorf("of a snapshot %d bytes, %s", len(got.Text), got.Attributes)
	}
	b.SetText(m, []byte("short"), frame(63))
	facts, _ = b.Take(frame(63).At, true)
	if got = facts.Messages[0]; got.Text != "short" || got.Attributes != `{"a":1}` {
		t.Errorf("of another snapshot %q, %s", got.Text, got.Attributes)
	}
}

// An open message is emitted less often as it grows: at most retellFact bytes a second.
func TestLongMessagesAreToldSeldom(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	chunk := make([]byte, 1000)
	emitted := 0
	for i := range 3600 { // an hour of a kilobyte a second
		at := frame(0).At + int64(i)*retell
		b.Append(m, chunk, &schema.Frame{Seq: uint64(i), At: at})
		facts, _ := b.Take(at, false)
		for _, m := range facts.Messages {
			emitted += len(m.Text) + chunkSize*len(m.ChunkAt)
		}
	}
	if most := 3600 * retellFact; emitted > most {
		t.Errorf("%d bytes were emitted of %d, more than %d", emitted, m.TextLen(), most)
	}
}

// A message that is long when it is offered for the first time, and grows by blocks within
// milliseconds, is emitted a second later, and then at its end: each state has the whole text.
func TestFastMessagesAreToldSeldom(t *testing.T) {
	for _, c := range []struct {
		pieces, want int // pieces of 16 KiB, one each 10 ms; states
	}{{10, 1}, {99, 1}, {110, 2}, {1, 1}} {
		b := NewEmitter(stream)
		m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
		piece, states, bytes := make([]byte, 16<<10), 0, 0
		at := frame(0).At
		for i := range c.pieces {
			at += 10e6
			if len(m.text) < retellFact-len(piece) { // a second for each retellFact bytes
				b.Append(m, piece, &schema.Frame{Seq: uint64(i), At: at})
			} else {
				b.Append(m, piece[:1], &schema.Frame{Seq: uint64(i), At: at})
			}
			facts, putOff := b.Take(at, false)
			states += len(facts.Messages)
			if len(facts.Messages) == 0 && !putOff {
				t.Errorf("%d pieces: neither taken nor put off", i)
			}
		}
		b.Complete(m, &schema.Frame{Seq: uint64(c.pieces), At: at})
		facts, _ := b.Take(at, false)
		for _, m := range facts.Messages {
			states, bytes = states+1, len(m.Text)
		}
		if states != c.want || bytes != m.TextLen() {
			t.Errorf("%d pieces: %d states, want %d; the last has %d of %d bytes", c.pieces, states, c.want, bytes, m.TextLen())
		}
	}
}

// An open message with MaxText bytes is emitted once more, and then at its end.
func TestFullMessagesAreToldAtTheirEnd(t *testing.T) {
	b := NewEmitter(stream)
	m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
	chunk := make([]byte, MaxText/10)
	var beyond []string
	for i := range 1000 {
		at := frame(0).At + int64(i)*retell
		b.Append(m, chunk, &schema.Frame{Seq: uint64(i), At: at})
		facts, _ := b.Take(at, i == 999)
		for _, m := range facts.Messages {
			if m.Attributes != "" {
				beyond = append(beyond, m.Attributes)
			}
		}
	}
	want := fmt.Sprintf(`{"truncated_bytes":%d}`, 1000*len(chunk)-MaxText)
	if len(beyond) != 2 || beyond[1] != want {
		t.Errorf("emitted %d times as full, want twice; at last %s, want %s", len(beyond), beyond[len(beyond)-1:], want)
	}
}

// Texts and chunks that were taken do not change with the message.
func TestWhatWasTakenStays(t *testing.T) {
	for name, change := range map[string]func(b *Emitter, m *Message){
		"append":  func(b *Emitter, m *Message) { b.Append(m, []byte("ZZ"), frame(9)) },
		"replace": func(b *Emitter, m *Message) { b.SetText(m, []byte("other, and longer than it was before"), frame(9)) },
		"cut": func(b *Emitter, m *Message) {
			b.SetText(m, []byte("first s"), frame(9))
			b.Append(m, []byte("ZZ"), frame(10))
		},
		"cut and go on": func(b *Emitter, m *Message) {
			b.SetText(m, []byte("first "), frame(9))
			b.SetText(m, []byte("first WORDS and more"), frame(10))
		},
	} {
		b := NewEmitter(stream)
		m := b.OpenMessage(schema.MessageAssistant, "m", frame(0))
		for i, chunk := range []string{"first ", "second ", "third"} {
			b.Append(m, []byte(chunk), frame(uint64(i+1)))
		}
		facts, _ := b.Take(frame(4).At, true)
		got := facts.Messages[0]
		want := got
		want.Text, want.ChunkAt, want.ChunkEnd = strings.Clone(got.Text), slices.Clone(got.ChunkAt), slices.Clone(got.ChunkEnd)
		change(b, m)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: what was taken is %+v now, was %+v", name, got, want)
		}
	}
}
