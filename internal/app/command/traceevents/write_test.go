package traceevents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/app/tapefacts/tapefactstest"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Calls that overlap others of their agent are on a track of their own, and equal facts make equal bytes.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("testdata/session.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if n, err := Write(out, tapefactstest.Session(t)); err != nil || n != 9 {
			t.Fatalf("%d spans, want 9: %v", n, err)
		}
	}
	if err := json.Unmarshal(first.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("- want, + written:\n%s", d)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same session was written with other bytes")
	}
}

// Every span is on one track of its agent, and no two spans of a track overlap unless one contains the other.
func TestTracksNest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := &tapefacts.Session{Row: &sessionstreams.Row{}}
	for i := range 300 {
		begin := 1 + random.Int64N(1000)
		s.Spans = append(s.Spans, spanmerge.Span{ID: fmt.Sprint(i), Agent: fmt.Sprint(i % 3), Status: string(schema.StatusOK),
			Started: begin, Ended: begin + random.Int64N(200)})
	}
	placed := map[string]int{}
	for _, track := range tracksOf(s) {
		for i, a := range track.spans {
			placed[a.ID]++
			if a.Agent != track.spans[0].Agent {
				t.Errorf("span %s of agent %s is on a track of agent %s", a.ID, a.Agent, track.spans[0].Agent)
			}
			for _, b := range track.spans[i+1:] {
				apart := a.Ended <= b.Started || b.Ended <= a.Started
				within := a.Started <= b.Started && b.Ended <= a.Ended || b.Started <= a.Started && a.Ended <= b.Ended
				if !apart && !within {
					t.Errorf("%d-%d and %d-%d are on one track", a.Started, a.Ended, b.Started, b.Ended)
				}
			}
		}
	}
	for id, n := range placed {
		if n != 1 {
			t.Errorf("span %s is on %d tracks", id, n)
		}
	}
	if len(placed) != 300 {
		t.Errorf("%d spans, want 300", len(placed))
	}
}
