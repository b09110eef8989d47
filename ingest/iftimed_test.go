package ingest_test

import (
	"fmt"
	"slices"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/schema"
)

// With IfTimed frames have their own times where the stream states any at its beginning; else they keep
// their arrival times and their reads.
func TestIfTimed(t *testing.T) {
	for _, tc := range []struct {
		name, dialect, untimed string
	}{
		{"a dialect with times", "claude-code", `{"type":"user","sessionId":"s","message":{"role":"user","content":"x"}}`},
		{"a dialect without", "openai-chat", `{"object":"chat.completion.chunk","id":"c","choices":[]}`},
		{"recognised", "", `{"type":"user","sessionId":"s","uuid":"u","parentUuid":null,"message":{"role":"user","content":"x"}}`},
		{"unknown", "", `{"session_id":"s","n":1}`},
	} {
		for _, head := range []int{0, 1, 40, 600} {
			t.Run(fmt.Sprint(tc.name, " ", head), func(t *testing.T) {
				var lines []string
				for range head {
					lines = append(lines, tc.untimed)
				}
				got, cuts, sum := arrivals(t, tc.dialect, lines)
				for i, at := range got {
					if want := int64(1000 + i); at != want || cuts[i] != 1 {
						t.Errorf("frame %d arrived at %d with %d cuts, want %d with 1", i, at, cuts[i], want)
					}
				}
				if sum.Timed {
					t.Error("the summary says that frames have times")
				}
				if tc.dialect != "claude-code" || head >= 256 {
					return
				}
				got, cuts, sum = arrivals(t, tc.dialect, append(lines, clockLine(t, 1, "s5"), clockLine(t, 2, "s7")))
				want := append(slices.Repeat([]int64{clockStart.Unix() + 5}, head+1), clockStart.Unix()+7)
				for i := range got {
					if got[i] /= 1e9; cuts[i] != 0 {
						t.Errorf("frame %d has %d cuts of the import", i, cuts[i])
					}
				}
				if !slices.Equal(got, want) || !sum.Timed {
					t.Errorf("timed %v, arrivals %v, want %v", sum.Timed, got, want)
				}
			})
		}
	}
}

// arrivals records lines that arrive 1 ns apart from 1000 on, with a cut each, and returns when each is
// recorded to have arrived, ns, and its cuts.
func arrivals(t *testing.T, dialect string, lines []string) (at []int64, cuts []int, sum ingest.Summary) {
	t.Helper()
	var memory ingesttest.Memory
	s, err := ingest.NewRecorder(&memory, ingest.Settings{}).Open(ingest.StreamOptions{FrameClock: true, IfTimed: true, Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		f := schema.Frame{At: int64(1000 + i), Raw: []byte(line + "\n"), Cuts: []schema.Cut{{Offset: 3, At: int64(1000 + i)}}}
		if err := s.Record(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
	}
	if sum, err = s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	at, cuts = make([]int64, sum.Frames), make([]int, sum.Frames)
	for _, b := range memory.Blocks() {
		for i := range b.Frames {
			f := &b.Frames[i]
			at[f.Seq], cuts[f.Seq] = f.At, len(f.Cuts)
		}
	}
	return at, cuts, sum
}
