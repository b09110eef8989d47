package redact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tapedeck/schema"
)

// A walker that resumes after a frame finds the same as a new walker.
func TestHead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bases := []string{
		`{"session_id":"run-1","node_id":"think","event_id":%d,"type":"chunk","content":"hello","id":"m1"}`,
		`{"type":"x","nested":{"id":"a","list":["u","v",{"id":%d}],"text":"t"},"id":"b","text":"long text, with a comma"}`,
		"event: delta\ndata: {\"index\":0,\"n\":%d,\"delta\":{\"text\":\"a\"},\"text\":\"b\"}\n\n",
		`{"a":"1","b":"2"}{"c":"%d","d":"4","id":7}`,
		`["one","two",%d,{"id":"3","x":"y"},"end"]`,
		`{"a":"b","c":}]},"d":"%d","e":"f"}`,
	}
	var w walker
	resumed := 0
	for i := range 20_000 {
		f := &schema.Frame{Transport: schema.HTTP, Raw: fmt.Appendf(nil, bases[random.IntN(2)+random.IntN(5)], random.IntN(30))}
		if bytes.HasPrefix(f.Raw, []byte("event:")) {
			f.Transport = schema.SSE
		}
		if random.IntN(4) == 0 { // another byte somewhere
			f.Raw[random.IntN(len(f.Raw))] = `",:{}[]\a1 `[random.IntN(11)]
		}
		f.Direction = schema.Direction(random.IntN(20) / 19)
		growing := random.IntN(10) != 0
		var fresh walker
		fresh.walk(f, growing)
		w.walk(f, growing)
		if len(w.head.marks) > 0 {
			resumed++
		}
		if !slices.Equal(w.leaves, fresh.leaves) || w.identity != fresh.identity {
			t.Fatalf("frame %d: %s\nwant %v, %x\ngot  %v, %x", i, f.Raw, fresh.leaves, fresh.identity, w.leaves, w.identity)
		}
	}
	if resumed < 1000 {
		t.Errorf("%d frames with marks: the test compares too few", resumed)
	}
}
