package tapefile

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/replay"
)

type writeBuffer []byte

func (b *writeBuffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

// boundaries returns where records end.
func boundaries(t testing.TB, content []byte) []int {
	t.Helper()
	ends := []int{headerSize}
	s := NewScanner(newReader(content))
	for {
		rec, err := s.Next()
		if err == io.EOF {
			return ends
		}
		check(t, err)
		ends = append(ends, int(rec.Offset)+len(rec.bytes))
	}
}

// Wherever a file is cut, all whole records before the cut can be read, and it is
// said where and why it ends.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	tape := awkward(r, 4, 6000)
	content := write(t, tape)
	ends := boundaries(t, content)
	at := append([]int{}, ends...)
	for range 60 {
		at = append(at, headerSize+r.IntN(len(content)-headerSize))
	}
	for _, n := range at {
		f := open(t, content[:n])
		broken, ok := errors.AsType[*BreakError](f.Break())
		if !ok || !errors.Is(broken, ErrCut) {
			t.Fatalf("cut at %d: %v", n, f.Break())
		}
		whole := headerSize
		for _, end := range ends[:len(ends)-1] {
			if end <= n {
				whole = end
			}
		}
		if n < ends[len(ends)-1] && broken.Offset != int64(whole) {
			t.Errorf("cut at %d: the break is said to be at %d, want %d", n, broken.Offset, whole)
		}
		got, err := read(t, f, "s0", replay.Query{})
		if len(f.Sessions()) == 0 {
			if !errors.Is(err, replay.ErrNoSession) {
				t.Fatalf("cut at %d, before anything: %v", n, err)
			}
			continue
		}
		check(t, err)
		if uint64(len(got)) != f.Frames() {
			t.Fatalf("cut at %d: %d frames were read, %d are said to be there", n, len(got), f.Frames())
		}
		if err := same(got, tape.Frames()[:len(got)]); err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	for n := range headerSize {
		path := filepath.Join(t.TempDir(), "a.tape")
		check(t, os.WriteFile(path, content[:n], 0o600))
		if _, err := Open(path, Options{}); !errors.Is(err, ErrCut) && !errors.Is(err, ErrNotTape) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

// No flipped bit goes unnoticed, and none is taken for something else than
// damage. What comes before it can be read.
func TestFlippedBits(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	tape := awkward(r, 3, 2000)
	content := write(t, tape)
	ends := boundaries(t, content)
	for range 300 {
		at := r.IntN(len(content))
		damaged := bytes.Clone(content)
		damaged[at] ^= 1 << r.IntN(8)
		s := NewScanner(newReader(damaged))
		var err error
		for err == nil {
			_, err = s.Next()
		}
		if at < headerSize {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotTape) {
				t.Fatalf("byte %d: %v", at, err)
			}
			continue
		}
		broken, ok := errors.AsType[*BreakError](err)
		if !ok || !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
		begins := headerSize
		for _, end := range ends {
			if end <= at {
				begins = end
			}
		}
		if broken.Offset != int64(begins) {
			t.Fatalf("byte %d is in the record at %d, the error says %d", at, begins, broken.Offset)
		}
		// A file that is opened by its index finds it when it comes there.
		f := open(t, damaged)
		got, err := read(t, f, "s0", replay.Query{})
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
		if err == nil && len(got) < len(tape.Frames()) && f.Break() == nil {
			t.Fatalf("byte %d: %d frames of %d, and nothing is said of damage", at, len(got), len(tape.Frames()))
		}
		if len(got) > 0 {
			if err := same(got, tape.Frames()[:len(got)]); err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
	}
}

// A file can be read while it is written; one that is followed to its end.
func TestGrowing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	tape := awkward(r, 3, 5000)
	content := write(t, tape)
	path := filepath.Join(t.TempDir(), "a.tape")
	file, err := os.Create(path)
	check(t, err)
	defer file.Close()
	ends := boundaries(t, content)
	_, err = file.Write(content[:ends[1]])
	check(t, err)
	followed, err := Open(path, Options{Follow: true})
	check(t, err)
	defer followed.Close()
	once, err := Open(path, Options{})
	check(t, err)
	defer once.Close()
	done := make(chan error, 1)
	go func() {
		for rest := content[ends[1]:]; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(len(content)/20))
			if _, err := file.Write(rest[:n]); err != nil {
				done <- err
				return
			}
			rest = rest[n:]
			time.Sleep(3 * time.Millisecond) // the file grows while it is read
		}
		done <- nil
	}()
	for part := 0; ; {
		got, err := read(t, once, "s0", replay.Query{})
		check(t, err)
		if len(got) < part {
			t.Fatalf("%d frames after %d", len(got), part)
		}
		part = len(got)
		if err := same(got, tape.Frames()[:part]); err != nil {
			t.Fatal(err)
		}
		if part == len(tape.Frames()) {
			break
		}
	}
	got, err := read(t, followed, "s0", replay.Query{})
	check(t, err)
	if err := same(got, tape.Frames()); err != nil {
		t.Fatal(err)
	}
	check(t, bounded.Receive(t, done))
	check(t, followed.Refresh())
	if err := followed.Break(); err != nil {
		t.Errorf("the complete file: %v", err)
	}
}
