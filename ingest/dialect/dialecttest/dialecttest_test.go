package dialecttest

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParse(t *testing.T) {
	s, err := Parse(txtar.Parse([]byte(`about
-- options --
transport: sse
garbage: yes
-- frames --
# a comment

+10ms recv event=delta id=7 {"a":"b c"}
+1s send x
+5ms recv raw ": note\n\n"
+2s end
`)))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		ms        int64
		direction schema.Direction
		raw       string
	}{
		{10, schema.Receive, "id: 7\nevent: delta\ndata: {\"a\":\"b c\"}\n\n"},
		{1010, schema.Send, "data: x\n\n"},
		{1015, schema.Receive, ": note\n\n"},
	}
	if !s.Garbage || s.Transport != schema.SSE || s.End != Start+3015e6 || len(s.Frames) != len(want) {
		t.Fatalf("%+v", s)
	}
	for i, w := range want {
		f := s.Frames[i]
		if f.Seq != uint64(i) || f.At != Start+w.ms*1e6 || f.Direction != w.direction || string(f.Raw) != w.raw || f.Transport != schema.SSE {
			t.Errorf("frame %d: %+v", i, f)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "no frames",
		"-- frames --\n10x recv {}\n":    "line 1: \"10x\" is not a time",
		"-- frames --\n+-1s recv {}\n":   "is not a time",
		"-- frames --\n\n+1s take {}\n":  "line 2: \"take\" is not one of",
		"-- frames --\n+1s recv raw x\n": "not a Go string",
		"-- options --\ntransport: x\n":  "transport",
		"-- options --\ncolour: red\n":   "option \"colour\"",
	} {
		if _, err := Parse(txtar.Parse([]byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// bad is a decoder that breaks one rule.
type bad struct {
	decode func(in *dialect.Input, b *dialect.Emitter)
	end    func(at int64, b *dialect.Emitter)
}

func (d bad) Decode(in *dialect.Input, b *dialect.Emitter) { d.decode(in, b) }
func (d bad) End(at int64, b *dialect.Emitter) {
	if d.end != nil {
		d.end(at, b)
	}
}

func frames(lines ...string) []schema.Frame {
	var frames []schema.Frame
	for i, line := range lines {
		frames = append(frames, schema.Frame{Seq: uint64(i), At: Start + int64(i)*1e6, Raw: []byte(line + "\n")})
	}
	return frames
}

func playBad(d bad, lines ...string) (*Outcome, error) {
	made := dialect.Dialect{New: func(string) dialect.Decoder { return d }}
	return Play(made, frames(lines...), Start+1e9, always)
}

func TestPlayFindsBrokenRules(t *testing.T) {
	var span *dialect.Span
	var message *dialect.Message
	tests := map[string]struct {
		decode func(in *dialect.Input, b *dialect.Emitter)
		want   string
	}{
		"changes the frame": {func(in *dialect.Input, b *dialect.Emitter) { in.At++ }, "changed the frame"},
		"changes the bytes": {func(in *dialect.Input, b *dialect.Emitter) { in.Data[0] = 'x' }, "changed the frame"},
		"sets a tap's flag": {func(in *dialect.Input, b *dialect.Emitter) { in.Flags |= schema.FlagBinary }, "flags"},
		"a fact without an id": {func(in *dialect.Input, b *dialect.Emitter) {
			b.OpenSpan(schema.SpanRun, "", "", in.Frame)
		}, "no id"},
		"a parent that is not there": {func(in *dialect.Input, b *dialect.Emitter) {
			b.OpenSpan(schema.SpanRun, "a", "", in.Frame).Parent = "b"
		}, "not a span of the session"},
		"an end before the start": {func(in *dialect.Input, b *dialect.Emitter) {
			s := b.OpenSpan(schema.SpanRun, b.LocalID("run", in.Frame), "", in.Frame)
			b.CloseSpan(s, schema.StatusOK, in.Frame)
			s.Ended--
		}, "before it starts"},
		"an end of what is open": {func(in *dialect.Input, b *dialect.Emitter) {
			b.OpenSpan(schema.SpanRun, b.LocalID("run", in.Frame), "", in.Frame).Ended = in.At
		}, "has an end and is open"},
		"a usage without a scope": {func(in *dialect.Input, b *dialect.Emitter) {
			b.Use("u", "", schema.UsageAdd, schema.Tokens{}, in.Frame)
		}, "scope"},
		"a version that goes back": {func(in *dialect.Input, b *dialect.Emitter) {
			if in.Seq == 0 {
				span = b.OpenSpan(schema.SpanRun, "a", "", &schema.Frame{Seq: 9, At: in.At})
				return
			}
			b.ChangedSpan(span, in.Frame)
		}, "version"},
		"a key that changes": {func(in *dialect.Input, b *dialect.Emitter) {
			if in.Seq == 0 {
				message = b.OpenMessage(schema.MessageUser, "a", in.Frame)
				return
			}
			message.SeenAt++
			b.Complete(message, in.Frame)
		}, "part of its key"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := playBad(bad{decode: test.decode}, `{"a":1}`, `{"a":2}`); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// Memory of a frame that a decoder keeps without a copy shows as garbage.
func TestPlayOverwritesWhatItGave(t *testing.T) {
	var kept []*dialect.Span
	d := bad{decode: func(in *dialect.Input, b *dialect.Emitter) {
		for _, alias := range []string{dialect.Alias(in.Data), dialect.Alias(in.JSON.GetStringBytes("a"))} {
			s := b.OpenSpan(schema.SpanRun, b.LocalID(string(rune('a'+len(kept))), in.Frame), alias, in.Frame)
			kept = append(kept, s)
		}
	}}
	o, err := playBad(d, `{"a":"text"}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range o.Facts.Spans {
		if strings.ContainsAny(s.Name, "at{") {
			t.Errorf("a frame's memory is still there after its call: %q", s.Name)
		}
	}
}

// Cutting reveals a change that was not reported.
func TestCutsBringOutUntoldChanges(t *testing.T) {
	var span *dialect.Span
	d := bad{decode: func(in *dialect.Input, b *dialect.Emitter) {
		if in.Seq == 0 {
			span = b.OpenSpan(schema.SpanRun, "a", "", in.Frame)
			return
		}
		span.Name = "unstated"
	}}
	made := dialect.Dialect{New: func(string) dialect.Decoder { return d }}
	whole, err := Play(made, frames("1", "2"), Start, never)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := Play(made, frames("1", "2"), Start, always)
	if err != nil {
		t.Fatal(err)
	}
	if Render(whole) == Render(cut) {
		t.Errorf("cutting made no difference:\n%s", Render(cut))
	}
}

func TestPackedScriptsComeBack(t *testing.T) {
	for _, transport := range []string{"ndjson", "sse", "websocket"} {
		script, err := Parse(txtar.Parse([]byte("-- options --\ntransport: " + transport + `
-- frames --
+1ms recv {"a":1}
+1ms send {"b":"|x|"}
+1ms recv [DONE]
`)))
		if err != nil {
			t.Fatal(err)
		}
		got := unpack(pack(script))
		if len(got) != len(script.Frames) {
			t.Fatalf("%s: %d frames, want %d", transport, len(got), len(script.Frames))
		}
		for i, f := range got {
			want := script.Frames[i]
			if f.Transport != want.Transport || f.Direction != want.Direction || string(f.Raw) != string(want.Raw) {
				t.Errorf("%s: frame %d is %q, want %q", transport, i, f.Raw, want.Raw)
			}
		}
	}
}

func TestFixture(t *testing.T) {
	if data := Fixture(t, "codex_exec/codex_v0142_failure.jsonl"); !strings.Contains(string(data), "thread.started") {
		t.Errorf("%.100s", data)
	}
}
