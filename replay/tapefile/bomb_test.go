package tapefile

import (
	"bytes"
	"errors"
	"hash/crc32"
	"runtime"
	"testing"

	"tapedeck/schema/block"
)

// bomb returns a tape with a record of data that unpack to size bytes, while the record claims another size.
func bomb(t testing.TB, size, claimed int) []byte {
	t.Helper()
	meta := Meta{Session: "s", Body: claimed}
	content := header()
	sections := encoder().EncodeAll(make([]byte, size), meta.append(nil, KindStreams))
	h := recordHead{kind: KindStreams, meta: len(meta.append(nil, KindStreams)), sum: crc32.Checksum(sections, castagnoli)}
	h.data = len(sections) - h.meta
	return append(h.append(content), sections...)
}

// TestBomb reads tapes of some kilobytes that unpack to hundreds of megabytes. What a record does not claim is not
// unpacked, and what it claims is bounded.
func TestBomb(t *testing.T) {
	const large = 400 << 20
	for name, claimed := range map[string]int{"claims little": 64, "claims nothing": 0, "claims more than there is": maxData, "claims more than is allowed": maxData + 1} {
		t.Run(name, func(t *testing.T) {
			size := large
			if claimed > large {
				size = 1 << 20
			}
			content := bomb(t, size, claimed)
			if len(content) > 64<<10 {
				t.Fatalf("the bomb has %d bytes", len(content))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rec, err := NewScanner(bytes.NewReader(content)).Next()
			if err == nil {
				err = rec.Blocks(false, func(*block.Block) error { return nil })
			}
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrCut) {
				t.Errorf("it is read: %v", err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; claimed < large && grown > 32<<20 {
				t.Errorf("%d bytes were allocated", grown)
			}
		})
	}
}
