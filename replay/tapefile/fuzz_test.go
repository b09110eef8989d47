package tapefile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/replay"
	"tapedeck/schema/block"
)

// Whatever the bytes, reading ends without a panic, and what a scan finds is
// what playing finds.
func FuzzFile(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 9))
	content := write(f, awkward(r, 2, 4), awkward(r, 1, 3))
	f.Add(content)
	f.Add(content[:len(content)/2])
	f.Add(header())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, p []byte) {
		p = mend(p)
		var scanned uint64
		s := NewScanner(bytes.NewReader(p))
		for {
			rec, err := s.Next()
			if err != nil {
				break
			}
			_ = rec.Blocks(false, func(b *block.Block) error { return nil }) // may be damaged
			scanned = rec.Before + rec.Frames
		}
		path := filepath.Join(t.TempDir(), "a.tape")
		if err := os.WriteFile(path, p, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path, Options{})
		if err != nil {
			return
		}
		defer file.Close()
		if file.Break() != nil && file.Frames() != scanned {
			t.Errorf("opened, it has %d frames, scanned %d", file.Frames(), scanned)
		}
		for _, id := range file.Sessions() {
			_ = file.Facts(id, func(*block.Block) error { return nil }) // may be damaged
			tape, err := file.Tape(t.Context(), "", id)
			if err != nil {
				continue
			}
			r, err := tape.Read(t.Context(), replay.Query{})
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = r.Next(t.Context())
			}
			r.Close()
		}
	})
}

// mend makes the checksums right that stand in the way of what is behind them.
func mend(p []byte) []byte {
	p = bytes.Clone(p)
	if len(p) < headerSize {
		return p
	}
	copy(p, header())
	for rest := p[headerSize:]; len(rest) >= headSize; {
		h := recordHead{
			kind: Kind(rest[0]), meta: int(binary.LittleEndian.Uint32(rest[4:])), data: int(binary.LittleEndian.Uint32(rest[8:])),
		}
		if h.meta > maxMeta || h.data > maxData || h.size() > len(rest) {
			break
		}
		h.sum = crc32.Checksum(rest[headSize:h.size()], castagnoli)
		h.append(rest[:0])
		rest = rest[h.size():]
	}
	return p
}
