package tapefile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// tapeOf returns a tape of a session with a frame and notes.
func tapeOf(t *testing.T, list []Note) []byte {
	t.Helper()
	state := schema.StreamState{StreamID: "019b7d3c-0000-7000-8000-000000000001", Transport: schema.NDJSON,
		FirstAt: 1, LastAt: 1, Frames: 1, Bytes: 1, Version: 3, Ended: 2}
	var b bytes.Buffer
	w, err := NewWriter(&b)
	for _, err := range []error{err, w.Begin("s", []schema.StreamState{state}),
		w.Add(&replay.Frame{Frame: schema.Frame{At: 1, Raw: []byte("x"), Transport: schema.NDJSON}, Stream: &state}), w.Notes(list), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// notesOf reads the notes of a tape.
func notesOf(tape []byte) (list []Note, records int, err error) {
	s := NewScanner(bytes.NewReader(tape))
	for {
		r, err := s.Next()
		if err == io.EOF {
			return list, records, nil
		}
		if err != nil {
			return list, records, err
		}
		if r.Kind != KindNotes {
			continue
		}
		more, unreadable, err := r.Notes()
		if err != nil || unreadable > 0 {
			return list, records, errors.Join(err, errors.New("unreadable notes"))
		}
		list, records = append(list, more...), records+1
	}
}

// Notes come back as they were written, in records of bounded size, and a player finds the frames of the
// tape beside them.
func TestNotes(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)
	var want []Note
	for range 1000 {
		want = append(want, Note{ID: "0", Span: "t", At: &at, Text: strings.Repeat("ä\n", 500), Labels: []string{"a", "b"}, Thumb: "up",
			Author: "grace", Written: at.Add(1), Changed: at.Add(2)})
	}
	tape := tapeOf(t, want)
	got, records, err := notesOf(tape)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d notes, %v", len(got), err)
	}
	if records < 3 || records > 6 { // 1.8 MB in records of 512 KiB
		t.Errorf("the notes are in %d records", records)
	}
	path := filepath.Join(t.TempDir(), "a.tape")
	if err := os.WriteFile(path, tape, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Break() != nil || f.Frames() != 1 || len(f.Sessions()) != 1 {
		t.Errorf("the file has %d frames of %q, %v", f.Frames(), f.Sessions(), f.Break())
	}
}

// A program that does not know the kind reads the record as blocks, and skips it.
func TestNotesAreBlocks(t *testing.T) {
	s := NewScanner(bytes.NewReader(tapeOf(t, []Note{{ID: "0"}})))
	for {
		r, err := s.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Kind == KindIndex {
			continue
		}
		if err := r.Blocks(false, func(*block.Block) error { return nil }); err != nil {
			t.Errorf("a record of %s: %v", r.Kind, err)
		}
	}
}

// A tape without notes has no record of them.
func TestNoNotes(t *testing.T) {
	if _, records, err := notesOf(tapeOf(t, nil)); err != nil || records != 0 {
		t.Errorf("%d records of notes, %v", records, err)
	}
}

// A tape that is cut in its notes, a record of too many bytes, and texts that are not notes are reported.
func TestBadNotes(t *testing.T) {
	tape := tapeOf(t, []Note{{ID: "0", Text: strings.Repeat("x", 1000)}})
	at := bytes.LastIndex(tape, []byte{byte(KindNotes), 0, 0, 0})
	if _, _, err := notesOf(tape[:at+40]); !errors.Is(err, ErrCut) {
		t.Errorf("a cut record: %v", err)
	}
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.body = make([]byte, maxNotes+1)
	w.record(KindNotes, &Meta{Session: "s"})
	if _, _, err := notesOf(b.Bytes()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "4194304 at most") {
		t.Errorf("a record of too many bytes: %v", err)
	}
	builder := block.NewBuilder()
	defer builder.Release()
	for i, text := range []string{`{"id":"1","written_at":"2026-01-01T00:00:00Z"}`, `{"id":2}`, `[`, `{"written_at":"soon"}`} {
		builder.Add(&schema.Frame{Seq: uint64(i), Raw: []byte(text)})
	}
	b.Reset()
	w, err = NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.body = appendBlock(nil, &block.Block{Session: "s"}, builder)
	w.record(KindNotes, &Meta{Session: "s"})
	s := NewScanner(&b)
	r, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	if list, unreadable, err := r.Notes(); err != nil || len(list) != 1 || unreadable != 3 {
		t.Errorf("%d notes, %d unreadable, %v", len(list), unreadable, err)
	}
}
