package redecode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// The secrets of the tests, and what is cut of them.
var (
	tokenA = "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	tokenB = "gh" + "p_" + strings.Repeat("zY9xW8", 6)
)

// secretLines has a secret whole, cut over two deltas, and in what is sent.
func secretLines() []line {
	chunk := func(text string) line {
		return line{time.Millisecond, false, `{"session_id":"s","node_id":"n","type":"message_chunk","content":"` + text + `","id":"m"}` + "\n"}
	}
	lines := []line{
		{0, false, `{"session_id":"s","node_id":"n","type":"run_start","run_id":"r1","message":"use ` + tokenA + ` for it","agent":"a"}` + "\n"},
		chunk("your key is " + tokenB[:9]), chunk(tokenB[9:] + " and "), chunk("that is all"),
		{time.Millisecond, true, `{"session_id":"s","node_id":"n","type":"tool_call","call_id":"c","name":"bash","arguments":{"command":"curl -H ` + tokenA + `"}}` + "\n"},
	}
	for i := range 20 {
		lines = append(lines, chunk(fmt.Sprint(" word ", i)))
	}
	return append(lines, line{time.Millisecond, false, `{"session_id":"s","node_id":"n","reply":"done"}` + "\n"})
}

// recordWith records frames with the rules of an engine.
func recordWith(t testing.TB, e *redact.Engine, opts ingest.StreamOptions, start int64, lines []line) []*block.Block {
	t.Helper()
	return recordEnded(t, e, opts, start, lines, schema.EndEOF)
}

// recordEnded is recordWith for a stream that ends by a reason.
func recordEnded(t testing.TB, e *redact.Engine, opts ingest.StreamOptions, start int64, lines []line, reason string) []*block.Block {
	t.Helper()
	var mem ingesttest.Memory
	s, err := ingest.NewRecorder(&mem, ingest.Settings{BlockFrames: 5, ID: "recorder", Redact: e}).Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	at := start
	for _, l := range lines {
		at += int64(l.after)
		f := &schema.Frame{At: at, Raw: []byte(l.raw)}
		if l.send {
			f.Direction = schema.Send
		}
		if err := s.Record(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Close(t.Context(), reason); err != nil {
		t.Fatal(err)
	}
	return mem.Blocks()
}

// A session that was recorded with its secrets comes to exactly what it would have been, had
// they been masked when it was recorded, whichever step is interrupted, and no row has them.
func TestRedact(t *testing.T) {
	b := newBench(t)
	opts := ingest.StreamOptions{Session: "s", Resume: &ingest.Resume{StreamID: schema.NewStreamID()}, Source: "https://host/?api_key=" + tokenA[4:], Tags: map[string]string{"k": tokenB}}
	reason := "error: closed with 1008 Incorrect API key: " + tokenA
	b.store("right", recordEnded(t, redact.Default(), opts, ahead, secretLines(), reason))
	right := b.dump("right")
	for i, step := range []string{"", stepWritten, stepCommitted} {
		tenant := fmt.Sprint("wrong", i)
		b.store(tenant, recordEnded(t, redact.Off, opts, ahead, secretLines(), reason))
		before := b.dump(tenant)
		dry, err := b.Redact(t.Context(), tenant, "s", RedactOptions{Engine: redact.Default(), DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		checkFound(t, dry)
		if d := cmp.Diff(before, b.dump(tenant)); d != "" {
			t.Fatalf("a dry run changed (-before +after):\n%s", d)
		}
		if step != "" {
			if _, err := b.Redact(killedAt(t.Context(), step), tenant, "s", RedactOptions{Engine: redact.Default()}); !errors.Is(err, context.Canceled) {
				t.Fatalf("killed when %s: %v", step, err)
			}
		}
		done, err := b.Redact(t.Context(), tenant, "s", RedactOptions{Engine: redact.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if step == "" {
			checkFound(t, done)
		}
		got := b.dump(tenant)
		if step == stepWritten { // its frames were masked by then, so that the secrets of the tag and the reason are others
			got["streams"] = strings.NewReplacer("#3]", "#1]", "#4]", "#2]").Replace(got["streams"])
		}
		if d := cmp.Diff(right, got); d != "" {
			t.Errorf("killed when %q (-masked by the tap, +masked later):\n%s", step, d)
		}
		b.hasNone(tenant, tokenA[4:], tokenB[4:])
		if again, err := b.Redact(t.Context(), tenant, "s", RedactOptions{Engine: redact.Default()}); err != nil || again.Changed || len(again.Counts) > 0 {
			t.Errorf("again: %+v, %v", again, err)
		}
	}
}

func checkFound(t *testing.T, r *Redacted) {
	t.Helper()
	want := map[string]uint64{"github-token": 5, "url-parameter": 1}
	if d := cmp.Diff(want, r.Counts); d != "" || !r.Changed {
		t.Errorf("found (-want +got):\n%s", d)
	}
	var list []string
	for _, item := range r.Items {
		at, err := schema.ParsePosition(item.Position)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(at.Seq, " ", item.Placeholder, " ", item.Offset, " ", item.Length))
	}
	at := func(l line, text string) int { return strings.Index(l.raw, text) }
	lines := secretLines()
	wanted := []string{
		fmt.Sprint(0, " [redacted:github-token#2] ", at(lines[0], tokenA), " 40"), // #1 is that of the tag
		fmt.Sprint(1, " [redacted:github-token#1] ", at(lines[1], tokenB[:9]), " 9"),
		fmt.Sprint(4, " [redacted:github-token#2] ", at(lines[4], tokenA), " 40"),
	}
	if d := cmp.Diff(wanted, list); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

// Rules that are added later number their secrets behind those that are masked already.
func TestRedactMore(t *testing.T) {
	b := newBench(t)
	lines := []line{
		{0, false, `{"type":"a","text":"` + tokenA + ` hunter2hunter2"}` + "\n"},
		{0, false, `{"type":"a","text":"` + tokenB + `"}` + "\n"},
	}
	b.store("acme", recordWith(t, redact.Default(), ingest.StreamOptions{Session: "s"}, ahead, lines))
	e, err := redact.New(redact.Options{Declared: []redact.Declared{{Name: "github-token", Value: "hunter2hunter2"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Redact(t.Context(), "acme", "s", RedactOptions{Engine: e}); err != nil {
		t.Fatal(err)
	}
	frames := b.dump("acme")["frames"]
	for _, want := range []string{`"[redacted:github-token#1] [redacted:github-token#3]"`, `"[redacted:github-token#2]"`} {
		if !strings.Contains(frames, want) {
			t.Errorf("%s is not in %s", want, frames)
		}
	}
}

// hasNone checks that no row has a text, rows that are marked as deleted included.
func (b *bench) hasNone(tenant string, texts ...string) {
	b.t.Helper()
	for _, table := range compared {
		for _, text := range texts {
			var n uint64
			err := b.db.QueryRow(b.t.Context(), "SELECT countIf(position(toString(tuple(*)), '"+text+"') > 0) FROM "+table+" WHERE tenant = '"+tenant+"' SETTINGS apply_deleted_mask = 0").Scan(&n)
			if err != nil {
				b.t.Fatal(err)
			}
			if n > 0 {
				b.t.Errorf("%d rows of %s have %s", n, table, text)
			}
		}
	}
}

// The session of which secrets are masked is one of several of its stream: the others stay.
func TestRedactOneOfSeveral(t *testing.T) {
	b := newBench(t)
	var lines []line
	for _, session := range []string{"a", "b", "a"} {
		lines = append(lines, line{0, false, `{"session_id":"` + session + `","node_id":"n","event_id":1,"type":"message_chunk","content":"` + tokenA + `","id":"m"}` + "\n"})
	}
	b.store("acme", recordWith(t, redact.Off, ingest.StreamOptions{}, ahead, lines))
	r, err := b.Redact(t.Context(), "acme", "a", RedactOptions{Engine: redact.Default()})
	if err != nil || r.Counts["github-token"] != 2 || len(r.Counts) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	rows := strings.Split(b.dump("acme")["frames"], "\n")
	if n := len(slices.DeleteFunc(rows, func(row string) bool { return strings.Contains(row, tokenA) })); n != 2 {
		t.Errorf("%d frames are masked, want 2", n)
	}
}
