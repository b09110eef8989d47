package block

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"testing"
)

// TestBomb decodes a block of some kilobytes that unpacks to hundreds of megabytes while it claims a few bytes. It is
// refused before more is unpacked than it claims.
func TestBomb(t *testing.T) {
	packed := zstdEncoder().EncodeAll(make([]byte, 400<<20), nil)
	p := append([]byte(magic), version, byte(Zstd))
	p = binary.LittleEndian.AppendUint32(p, 64)
	p = append(p, make([]byte, headSize-len(p)-4)...)
	p = binary.LittleEndian.AppendUint32(p, crc32.Checksum(packed, castagnoli))
	p = append(p, packed...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := open(p, nil)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrFormat) {
		t.Errorf("it is read: %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}
