package compressed

import (
	"bytes"
	"io"
	"runtime"
	"testing"
)

// TestMemory measures what an encoder of each coding holds while its answer goes on.
func TestMemory(t *testing.T) {
	text := bytes.Repeat([]byte(`{"session":"a","tokens":12,"model":"m"},`), 25_000) // 1 MB
	for i := range codings {
		const n = 20
		encoders := make([]encoder, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for j := range encoders {
			encoders[j] = codings[i].idle.New().(encoder)
			encoders[j].Reset(io.Discard)
			if _, err := encoders[j].Write(text); err != nil {
				t.Fatal(err)
			}
			if err := encoders[j].Flush(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
		t.Logf("%s: %d KiB", codings[i].name, each>>10)
		if each > 2<<20 {
			t.Errorf("an encoder of %s holds %d bytes, want at most 2 MiB", codings[i].name, each)
		}
		runtime.KeepAlive(encoders)
	}
}
