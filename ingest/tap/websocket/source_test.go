package websocket

import (
	"bytes"
	"io"
	"slices"
	"testing"
)

// A source reads what does not fit into the caller's memory in large pieces, and holds
// memory of its own no longer than for that.
func TestSource(t *testing.T) {
	sent := bytes.Repeat([]byte("0123456789"), 10_000)
	var p [128]byte
	for _, tc := range []struct {
		name string
		size int
		want []int // lengths of the reads
	}{
		{"short", 100, []int{100}},
		{"longer than the caller's memory", 300, []int{128, 172}},
		{"longer than one read", 70_000, []int{128, readSize, readSize, 70_000 - 128 - 2*readSize}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := source{from: bytes.NewReader(sent[:tc.size])}
			var got []byte
			var lengths []int
			for len(got) < tc.size {
				came, err := s.receive(p[:])
				if err != nil {
					t.Fatal(err)
				}
				got, lengths = append(got, came...), append(lengths, len(came))
				s.release()
			}
			if !bytes.Equal(got, sent[:tc.size]) || !slices.Equal(lengths, tc.want) {
				t.Errorf("read %v, want %v", lengths, tc.want)
			}
			if s.buf != nil {
				t.Error("memory is held between messages")
			}
			if came, err := s.receive(p[:]); len(came) != 0 || err != io.EOF {
				t.Errorf("after the end: %q, %v", came, err)
			}
		})
	}
}
