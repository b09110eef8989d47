package block

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/schema"
)

func entriesOf(n int) []Entry {
	var all []Entry
	for i := range n {
		session := fmt.Sprint("session ", i)
		frames := []schema.Frame{{Seq: uint64(i), Raw: []byte("{}\n")}}
		all = append(all, Entry{session, Encode(nil, &Block{Session: session, Frames: frames}, S2)})
	}
	return all
}

// A bundle decodes to its blocks, and a block by itself is one.
func TestBundle(t *testing.T) {
	for _, n := range []int{0, 1, 2, 300} {
		want := entriesOf(n)
		got, err := Entries(AppendBundle([]byte("before")[:0], want), []Entry{{Session: "of before"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Entry) bool { return a.Session == b.Session && bytes.Equal(a.Data, b.Data) })); diff != "" && n > 0 {
			t.Fatalf("%d blocks (-want +got):\n%s", n, diff)
		}
		for i, e := range got {
			b, err := Decode(e.Data)
			if err != nil || b.Session != e.Session || b.Frames[0].Seq != uint64(i) {
				t.Fatalf("block %d of %d: %+v, %v", i, n, b, err)
			}
		}
	}
	alone := entriesOf(1)[0].Data
	got, err := Entries(alone, nil)
	if err != nil || len(got) != 1 || got[0].Session != "" || !bytes.Equal(got[0].Data, alone) {
		t.Fatalf("a block by itself: %+v, %v", got, err)
	}
}

// To a program that reads blocks alone, a bundle is a block of a later version.
func TestBundleIsNoBlock(t *testing.T) {
	if _, err := Decode(AppendBundle(nil, entriesOf(2))); !errors.Is(err, ErrVersion) {
		t.Fatalf("error %v, want ErrVersion", err)
	}
}

// A table that was changed or cut short is an error, whatever the place.
func TestDamagedBundle(t *testing.T) {
	good := AppendBundle(nil, entriesOf(3))
	blocks := 0
	for _, e := range entriesOf(3) {
		blocks += len(e.Data)
	}
	for i := len(magic) + 1; i < len(good)-blocks; i++ {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if _, err := Entries(bad, nil); !errors.Is(err, ErrFormat) {
			t.Fatalf("byte %d changed: error %v", i, err)
		}
	}
	for n := bundleHead; n < len(good); n++ {
		if _, err := Entries(good[:n], nil); !errors.Is(err, ErrFormat) {
			t.Fatalf("cut to %d bytes: error %v", n, err)
		}
	}
	if _, err := Entries(append(bytes.Clone(good), 0), nil); !errors.Is(err, ErrFormat) {
		t.Fatalf("a byte too many: error %v", err)
	}
}

// Tables are fuzzed behind the checksum, which would keep the fuzzer out.
func FuzzEntries(f *testing.F) {
	good := AppendBundle(nil, entriesOf(2))
	f.Add(good[bundleHead:], 30)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, after []byte, table int) {
		if table < 0 || table > len(after) {
			return
		}
		message := sealTable(append([]byte(magic+"\x02\x00\x00\x00\x00\x00\x00\x00\x00"), after...), table)
		entries, err := Entries(message, nil)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error is not ErrFormat: %v", err)
			}
			return
		}
		again, err := Entries(AppendBundle(nil, entries), nil)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%d entries, written and read %d, %v", len(entries), len(again), err)
		}
	})
}
