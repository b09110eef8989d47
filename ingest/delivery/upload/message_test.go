package upload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
)

func appendMessage(b []byte, p *ingest.EncodedBlock) []byte {
	return append(appendHead(b, p), p.Data...)
}

func FuzzReadMessage(f *testing.F) {
	for _, size := range []int{0, 1, 100} {
		p := testBlock(size, size)
		f.Add(appendMessage(nil, &p))
	}
	f.Add([]byte{})
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{14, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 9})
	f.Fuzz(func(t *testing.T, message []byte) {
		p, err := readMessage(bytes.NewReader(message), 1000, anySize)
		if err != nil {
			_, tooLarge := errors.AsType[*tooLargeError](err)
			if !tooLarge && !errors.Is(err, errMessage) && !(err == io.EOF && len(message) == 0) {
				t.Errorf("read: %v", err)
			}
			return
		}
		again, err := readMessage(iotest.OneByteReader(bytes.NewReader(appendMessage(nil, &p))), 1000, anySize)
		if diff := cmp.Diff(p, again); diff != "" || err != nil {
			t.Errorf("written again it reads differently (%v):\n%s", err, diff)
		}
	})
}

func TestLargeMessages(t *testing.T) {
	for _, size := range []int{1<<20 - 100, 1 << 20, 1<<20 + 1, 3 << 20, 10<<20 + 7} {
		p := testBlock(7, size)
		got, err := readMessage(bytes.NewReader(appendMessage(nil, &p)), 64<<20, anySize)
		if !bytes.Equal(p.Data, got.Data) || got.ID != p.ID || err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A length that is only claimed takes no memory.
func TestClaimedLength(t *testing.T) {
	head := binary.LittleEndian.AppendUint32(nil, 60<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		_, err := readMessage(io.MultiReader(bytes.NewReader(head), bytes.NewReader(make([]byte, 100))), 64<<20, anySize)
		if !errors.Is(err, errMessage) {
			t.Fatalf("read: %v", err)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) / 20; taken > 2<<20 {
		t.Errorf("%d bytes were taken for a message of 100", taken)
	}
}

// anySize accepts messages of all sizes.
func anySize(int64) error { return nil }
