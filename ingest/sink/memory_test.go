package sink_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// limitedBench is newBench with a ClickHouse of which a statement may take so many bytes of memory.
func limitedBench(t *testing.T, memory int) *bench {
	t.Helper()
	dir := t.TempDir()
	e := localtest.Engine(t, engine.Options{Dir: dir})
	b := benchOn(t, e.DSN())
	path := filepath.Join(dir, "users.xml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	limited := regexp.MustCompile(`<max_memory_usage>\d+<`).ReplaceAll(text, fmt.Appendf(nil, "<max_memory_usage>%d<", memory))
	if err := os.WriteFile(path, limited, 0o600); err != nil {
		t.Fatal(err)
	}
	pid := e.Health().PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil { // it reads the file when it starts
		t.Fatal(err)
	}
	bounded.Until(t, "ClickHouse started again", func() bool {
		h := e.Health()
		return h.State == engine.Running && h.PID != pid
	})
	return b
}

// A batch that is too large for ClickHouse's memory goes in by pieces.
func TestMemoryForPieces(t *testing.T) {
	b := limitedBench(t, 30<<20)
	const blocks = 32
	for i := range blocks {
		raw := make([]byte, 1<<20)
		_, _ = rand.Read(raw) // it never fails
		data := block.Encode(nil, &block.Block{
			Session: "s", State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1},
			Frames: []schema.Frame{{At: ingest.Now(), Raw: raw}},
		}, block.S2)
		if _, err := b.js.Publish(t.Context(), ingest.Subject("default", fmt.Sprint("s", i)), data); err != nil {
			t.Fatal(err)
		}
	}
	b.run(sink.Options{BatchAge: time.Second})
	b.eventually("SELECT count() FROM frames FINAL", blocks)
	b.waitAcked()
	if n := b.deadLetters(); n > 0 {
		t.Errorf("%d blocks were set aside", n)
	}
}
