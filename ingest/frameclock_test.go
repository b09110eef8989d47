package ingest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// clockStart is second 0 of the tests.
var clockStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Files are written as "a10 a11 b1 a-": the session that a line of Claude Code names,
// and the second that it states, "-" for none. Each expected element is the session
// and the second at which the frame arrived.
func TestFrameClock(t *testing.T) {
	many := func(format string, from, to int) string {
		var list []string
		for i := from; i <= to; i++ {
			list = append(list, fmt.Sprintf(format, i))
		}
		return strings.Join(list, " ")
	}
	for _, tc := range []struct {
		name, lines, want string
		misdated          uint64
	}{
		{"in order", "a1 a2 a2 a5", "a1 a2 a2 a5", 0},
		{"lines without a time", "a- a1 a- a3 a-", "a1 a1 a1 a3 a3", 0},
		{"an earlier session after a later one", "a100 a101 a102 b1 b2 b3", "a100 a101 a102 b1 b2 b3", 0},
		{"it begins without a time", "a100 a101 b- b1 b2", "a100 a101 b1 b1 b2", 0},
		{"sessions in turn", "a100 b1 a101 b2 a102 b3", "a100 b1 a101 b2 a102 b3", 0},
		{"back to the later one", "a100 a101 b1 b2 a102", "a100 a101 b1 b2 a102", 0},
		{"one ahead", "a1 a2 a90000 a3 a4", "a1 a2 a2 a3 a4", 1},
		{"one ahead, in another session", "a1 b500 a2 b90000 a3 b501 a4 b502", "a1 b500 a2 b500 a3 b501 a4 b502", 1},
		{"two ahead", "a1 a90000 a90001 a2 a3 a4", "a1 a1 a1 a2 a3 a4", 2},
		{"the first ahead", "a90000 a1 a2 a3", "a1 a1 a2 a3", 1},
		{"the last ahead, as far as can be known", "a1 a2 a90000", "a1 a2 a90000", 0},
		{"one behind", "a5 a6 a1 a7", "a5 a6 a6 a7", 1},
		{"the first years behind", "a-90000000 a1 a2 a3", "a1 a1 a2 a3", 1},
		{"the first days behind", "a1 a90001 a90002 a90003", "a1 a90001 a90002 a90003", 0},
		{"out of order by a little", "a1 a4 a3 a5 a6", "a1 a4 a4 a5 a6", 1},
		{"days in between", "a1 a2 a259200 a259201", "a1 a2 a259200 a259201", 0},
		{"an impossible time", "a1 a9000000000 a2", "a1 a1 a2", 1},
		{"an impossible time at the end", "a1 a2 a9000000000", "a1 a2 a2", 1},
		{"one ahead in a long file", many("a%d", 1, 500) + " a90000 " + many("a%d", 501, 1200), many("a%d", 1, 500) + " a500 " + many("a%d", 501, 1200), 1},
		{"many lines without a time first", strings.Repeat("a- ", 200) + "a5 a6", strings.Repeat("a5 ", 200) + "a5 a6", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var memory ingesttest.Memory
			rec := ingest.NewRecorder(&memory, ingest.Settings{})
			s, err := rec.Open(ingest.StreamOptions{FrameClock: true, Dialect: "claude-code"})
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Fields(tc.lines) {
				f := schema.Frame{At: ingest.Now(), Raw: []byte(clockLine(t, i, line))}
				if err := s.Record(t.Context(), &f); err != nil {
					t.Fatal(err)
				}
			}
			sum, err := s.Close(t.Context(), "eof")
			if err != nil {
				t.Fatal(err)
			}
			got := make([]string, sum.Frames)
			ended := map[string]int64{}
			last := map[string]int64{}
			for _, b := range memory.Blocks() {
				for i := range b.Frames {
					f := &b.Frames[i]
					got[f.Seq] = b.Session + strconv.FormatInt((f.At-clockStart.UnixNano())/1e9, 10)
					last[b.Session] = max(last[b.Session], f.At)
				}
				ended[b.Session] = max(ended[b.Session], b.State.Ended)
			}
			if want := strings.Fields(tc.want); !slices.Equal(got, want) || sum.Misdated != tc.misdated || !sum.Timed {
				t.Errorf("%d misdated, want %d; frames (at the first difference)\n%s", sum.Misdated, tc.misdated, difference(got, want))
			}
			for session, at := range last {
				if ended[session] != at {
					t.Errorf("session %s ended %s after its last frame", session, time.Duration(ended[session]-at))
				}
			}
		})
	}
}

func difference(got, want []string) string {
	for i := range got {
		if i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("%d: got %v, want %v", i, got[i:min(i+10, len(got))], want[min(i, len(want)):min(i+10, len(want))])
		}
	}
	return "none"
}

// clockLine is a line of Claude Code's files: "a10", "a-".
func clockLine(t *testing.T, n int, text string) string {
	t.Helper()
	stamp := ""
	if text[1:] != "-" {
		seconds, err := strconv.ParseInt(text[1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		stamp = fmt.Sprintf(`"timestamp":%q,`, time.Unix(clockStart.Unix()+seconds, 0).UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf(`{"type":"user",%s"sessionId":%q,"uuid":"u%d","message":{"role":"user","content":"x"}}`+"\n", stamp, text[:1], n)
}

// Frames that are delayed to judge times are published when nothing follows, and by a Flush.
func TestFrameClockGoesOn(t *testing.T) {
	var memory ingesttest.Memory
	rec := ingest.NewRecorder(&memory, ingest.Settings{DetectFor: 20 * time.Millisecond})
	s, err := rec.Open(ingest.StreamOptions{FrameClock: true, Dialect: "claude-code", Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	record := func(line string) {
		lines++
		f := schema.Frame{At: ingest.Now(), Raw: []byte(clockLine(t, lines, line))}
		if err := s.Record(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
	}
	record("a1")
	bounded.Until(t, "the frame does not wait for others that do not come", func() bool { return len(memory.Frames(s.ID())) > 0 })
	record("a2")
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	record("b1") // the user put all into one session, so there is one clock
	if n := len(memory.Frames(s.ID())); n != 2 {
		t.Errorf("%d frames after a flush", n)
	}
	sum, err := s.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	if frames := memory.Frames(s.ID()); frames[2].At != frames[1].At || sum.Misdated != 1 {
		t.Errorf("%d misdated, at %d after %d", sum.Misdated, frames[2].At, frames[1].At)
	}
}
