package redecode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// A stream that was recorded as something else has the limits of its account after it was decoded
// anew, as if it had been recognised.
func TestLimits(t *testing.T) {
	b := newBench(t)
	lines := loomCase(t, "../dialect/codexrollout/testdata/cases/limits.txtar")
	opts := ingest.StreamOptions{Session: "s", Resume: &ingest.Resume{StreamID: schema.NewStreamID()}}
	b.store("right", record(t, opts, ahead, lines))
	opts.Dialect = "generic"
	b.store("wrong", record(t, opts, ahead, lines))
	right := b.dump("right")["streams"]
	if !strings.Contains(right, "individual_limit") || strings.Contains(b.dump("wrong")["streams"], "individual_limit") {
		t.Fatalf("the recorded streams: %s", right)
	}
	b.redecode("wrong", "s", "")
	if d := cmp.Diff(right, b.dump("wrong")["streams"]); d != "" {
		t.Errorf("(-recorded so, +decoded anew):\n%s", d)
	}
}
