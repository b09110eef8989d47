package budget

import (
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/memorylimit"
	"tapedeck/internal/metric/metrictest"
)

// With a limit of memory, what was released counts until it is collected: a second grant does not
// exceed the budget beside the garbage of the first one. It gets its bytes after a collection.
func TestGarbageCounts(t *testing.T) {
	memorylimit.LimitGarbage(1 << 40) // only one who waits causes a collection
	defer memorylimit.LimitGarbage(0)
	b := NewWriters(Options{Bytes: 16 << 20, Wait: bounded.Limit})
	first, second := b.Write(), b.Write()
	if err := first.Need(t.Context(), 64<<20); err != nil {
		t.Fatal(err)
	}
	first.Close()
	b.mu.Lock()
	used, over := b.used, b.over
	b.mu.Unlock()
	if used != 64<<20 || over == nil {
		t.Errorf("%d bytes are used, want the released ones", used)
	}
	if second.Try(1) {
		t.Error("a grant got bytes that are not collected")
	}
	if err := second.Need(t.Context(), 64<<20); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used != 64<<20 || b.garbage != 0 || b.over != second {
		t.Errorf("%d bytes are used, %d are garbage", b.used, b.garbage)
	}
}

// A writer that finds no room is refused after Wait, with the name of the limit.
func TestWriterRefused(t *testing.T) {
	b := NewWriters(Options{Bytes: 1 << 20, Wait: 10 * time.Millisecond})
	if err := b.Write().Need(t.Context(), 2<<20); err != nil {
		t.Fatal(err)
	}
	refusal(t, b.Write().Need(t.Context(), 1), writersLimit)
}

// The gauges show what is charged, and who waits.
func TestWriterGauges(t *testing.T) {
	b := NewWriters(Options{Bytes: 1 << 20, Wait: bounded.Limit})
	first := b.Write()
	if err := first.Need(t.Context(), 2<<20); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() { waited <- b.Write().Need(t.Context(), 1) }()
	metrictest.Of(b).Show(t, "tapedeck_writer_bytes", "tapedeck_writers_waiting")
	first.Close()
	if err := bounded.Receive(t, waited); err != nil {
		t.Fatal(err)
	}
}
