package file

import (
	"encoding/binary"
	"testing"
)

// The reads of a journal go on from one another, in order of time, and are those of its bytes up to the first that
// is not.
func FuzzParseJournal(f *testing.F) {
	entry := func(ends ...uint64) (b []byte) {
		for i, end := range ends {
			b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, end), uint64(i))
		}
		return b
	}
	for _, seed := range [][]byte{nil, entry(1), entry(1, 2, 3), entry(2, 1), entry(1, 1<<40), entry(1<<63, 5), entry(7, 9)[:20]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		last := read{}
		for i, r := range parseJournal(data) {
			at := data[i*journalEntry:]
			if uint64(r.end) != binary.LittleEndian.Uint64(at) || uint64(r.at) != binary.LittleEndian.Uint64(at[8:]) {
				t.Fatalf("read %d is %+v, which is not what is written", i, r)
			}
			if r.end <= last.end || r.at < last.at || r.end-last.end > readSize {
				t.Fatalf("read %d is %+v after %+v", i, r, last)
			}
			last = r
		}
	})
}
