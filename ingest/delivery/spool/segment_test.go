package spool

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/metric/metrictest"
)

// segmentOf makes a file's contents out of the blocks from..to-1.
func segmentOf(from, to int) []byte {
	b := []byte(segmentHead)
	for i := from; i < to; i++ {
		b = appendRecord(b, &record{block: testBlock(i, 50), at: int64(i) + 1})
	}
	return b
}

// spoolOver opens a spool over the files, sends what is in them, and says what
// was sent, what was logged, and what State and totals came to.
func spoolOver(t *testing.T, dir string) (sent []string, logged string, got totals) {
	t.Helper()
	var text bytes.Buffer
	next := &fakeNext{}
	s := openAt(t, Options{Dir: dir, Next: next, Log: slog.New(slog.NewTextHandler(&text, nil))})
	drained(t, s)
	if _, got = s.snapshot(); got.damaged > 0 {
		metrictest.Of(s).Show(t, "tapedeck_spool_damaged_total")
	}
	closeNow(t, s)
	sent = next.delivered()
	slices.Sort(sent)
	return sent, text.String(), got
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Wherever a write was cut, what stands before it is kept and the rest cut off.
func TestTornEnd(t *testing.T) {
	whole, more := segmentOf(0, 3), segmentOf(0, 4)
	for size := range len(more) {
		dir := t.TempDir()
		write(t, segmentPath(dir, 0, pendingSuffix), segmentOf(5, 7))
		write(t, segmentPath(dir, 1, pendingSuffix), more[:size])
		var want []string
		for n := 1; n <= 3; n++ {
			if size >= len(segmentOf(0, n)) {
				want = ids(0, n)
			}
		}
		want = append(want, "5", "6")
		torn := size != len(whole) && size != len(segmentOf(0, 2)) && size != len(segmentOf(0, 1)) && size != len(segmentHead) && size != 0
		sent, logged, _ := spoolOver(t, dir)
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Fatalf("cut after %d bytes (-want +sent):\n%s", size, diff)
		}
		if reported := strings.Contains(logged, "torn record"); reported != torn {
			t.Fatalf("cut after %d bytes: reported %t, want %t\n%s", size, reported, torn, logged)
		}
		wantFiles(t, dir, lockName)
	}
}

// A segment that is opened for writing again never happens; a torn one is cut
// all the same, so that nobody reads the rest.
func TestTornEndIsCut(t *testing.T) {
	dir := t.TempDir()
	path := segmentPath(dir, 0, pendingSuffix)
	write(t, path, append(segmentOf(0, 2), "rest"...))
	s := openAt(t, Options{Dir: dir, Next: &fakeNext{refuse: errDown}})
	closeNow(t, s)
	b, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(b, segmentOf(0, 2)) {
		t.Errorf("file of %d bytes, want %d (%v)", len(b), len(segmentOf(0, 2)), err)
	}
}

// Damage in the middle costs what is damaged and nothing else; the file stays
// to be looked at.
func TestDamage(t *testing.T) {
	flip := func(b []byte, at int) []byte {
		b = slices.Clone(b)
		b[at] ^= 0x40
		return b
	}
	second, third := len(segmentOf(0, 1)), len(segmentOf(0, 2))
	long := slices.Clone(segmentOf(0, 4))
	binary.LittleEndian.PutUint32(long[third:], 1<<29)
	for name, c := range map[string]struct {
		file    []byte
		sent    []string
		damaged uint64 // blocks known to be lost
	}{
		"a byte of the second block":   {flip(segmentOf(0, 4), third-10), []string{"0", "2", "3"}, 1},
		"the second checksum":          {flip(segmentOf(0, 4), second+5), []string{"0", "2", "3"}, 1},
		"a length beyond the end":      {long, []string{"0", "1"}, 0},
		"zeroes instead of the second": {append(segmentOf(0, 1), make([]byte, 500)...), []string{"0"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, segmentPath(dir, 7, pendingSuffix), c.file)
			write(t, segmentPath(dir, 8, pendingSuffix), segmentOf(5, 7))
			sent, logged, got := spoolOver(t, dir)
			if diff := cmp.Diff(append(c.sent, "5", "6"), sent); diff != "" {
				t.Errorf("(-want +sent):\n%s", diff)
			}
			if got.damaged != c.damaged || !strings.Contains(logged, "level=ERROR") {
				t.Errorf("%d blocks damaged, want %d\n%s", got.damaged, c.damaged, logged)
			}
			wantFiles(t, dir, "0000000000000007.damaged", lockName)
			_, logged, _ = spoolOver(t, dir)
			if !strings.Contains(logged, "damaged file") {
				t.Errorf("the next start does not mention it:\n%s", logged)
			}
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	write(t, segmentPath(dir, 0, pendingSuffix), segmentOf(0, 3))
	write(t, segmentPath(dir, 1, pendingSuffix), segmentOf(3, 5))
	next := &fakeNext{refuse: errDown}
	s := openAt(t, Options{Dir: dir, Next: next})
	eventually(t, "the first is in hand", func() bool { return len(next.attempts()) > 0 })
	if err := os.Remove(segmentPath(dir, 1, pendingSuffix)); err != nil {
		t.Fatal(err)
	}
	next.set(nil, nil)
	drained(t, s)
	if _, got := s.snapshot(); got.damaged != 2 || got.sent != 3 {
		t.Errorf("totals %+v", got)
	}
	closeNow(t, s)
}

func TestForeignFile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "notes.txt"), []byte("mine"))
	closeNow(t, openAt(t, Options{Dir: dir, Next: &fakeNext{}}))
	write(t, segmentPath(dir, 0, pendingSuffix), []byte("TDSPOOL\x02 of the future"))
	if _, err := Open(Options{Dir: dir, Next: &fakeNext{}}); err == nil || !strings.Contains(err.Error(), "not a spool file of this version") {
		t.Errorf("opened: %v", err)
	}
	// That failure must leave the directory free.
	os.Remove(segmentPath(dir, 0, pendingSuffix))
	closeNow(t, openAt(t, Options{Dir: dir, Next: &fakeNext{}}))
	wantFiles(t, dir, lockName, "notes.txt")
}

// sealed is the head that goes with a body.
func sealed(body []byte) (head [recordHead]byte) {
	binary.LittleEndian.PutUint32(head[:], uint32(len(body)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(body, castagnoli))
	return head
}

func split(b []byte) (head, body []byte) { return b[:recordHead], b[recordHead:] }

func FuzzParseBody(f *testing.F) {
	for _, size := range []int{0, 1, 300} {
		b := appendRecord(nil, &record{block: testBlock(size, size), at: -5})
		f.Add(b[recordHead:])
	}
	f.Add([]byte{0, 0, 0, 0, 0})
	f.Add([]byte{2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		head := sealed(body)
		if _, err := parseBody(head[:], append(bytes.Clone(body), 1)); err == nil {
			t.Error("a byte too many was not noticed")
		}
		r, err := parseBody(head[:], body)
		if err != nil {
			return
		}
		again, err := parseBody(split(appendRecord(nil, &r)))
		if diff := cmp.Diff(r, again, cmp.AllowUnexported(record{})); diff != "" || err != nil {
			t.Errorf("written again it reads differently (%v):\n%s", err, diff)
		}
	})
}

func FuzzWalk(f *testing.F) {
	f.Add(segmentOf(0, 3))
	f.Add(segmentOf(0, 3)[:70])
	f.Add([]byte(segmentHead))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) {
		dir := t.TempDir()
		path := segmentPath(dir, 0, pendingSuffix)
		write(t, path, file)
		loose, err := walkSegment(path, false)
		if err != nil {
			return
		}
		strict, err := walkSegment(path, true)
		if err != nil || strict.valid > loose.valid || loose.valid > loose.size || strict.records > loose.records {
			t.Fatalf("strict %+v, loose %+v, %v", strict, loose, err)
		}
		write(t, path, file[:strict.valid])
		cut, err := walkSegment(path, true)
		if err != nil || cut.records != strict.records || cut.torn() != 0 {
			t.Fatalf("%+v, and once cut %+v, %v", strict, cut, err)
		}
	})
}

// lookingFor is a handler that waits for a message.
type lookingFor struct {
	slog.Handler
	text string
	seen *atomic.Bool
}

func (lookingFor) Enabled(context.Context, slog.Level) bool { return true }

func (l lookingFor) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, l.text) {
		l.seen.Store(true)
	}
	return nil
}

// A file that cannot be opened for a while, as when no more files can be, loses nothing.
func TestUnreadableForNow(t *testing.T) {
	dir := t.TempDir()
	write(t, segmentPath(dir, 0, pendingSuffix), segmentOf(0, 3))
	path := segmentPath(dir, 1, pendingSuffix)
	write(t, path, segmentOf(3, 5))
	next := &fakeNext{refuse: errDown}
	var warned atomic.Bool
	s := openAt(t, Options{Dir: dir, Next: next, Log: slog.New(lookingFor{slog.DiscardHandler, "cannot be read now", &warned})})
	eventually(t, "the first is in hand", func() bool { return len(next.attempts()) > 0 })
	moved := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(path, moved), os.Symlink(path, path)); err != nil { // opening it fails with ELOOP
		t.Fatal(err)
	}
	next.set(nil, nil)
	eventually(t, "the file cannot be read", warned.Load)
	if err := os.Rename(moved, path); err != nil {
		t.Fatal(err)
	}
	drained(t, s)
	if _, got := s.snapshot(); got.damaged != 0 || got.sent != 5 {
		t.Errorf("totals %+v", got)
	}
	closeNow(t, s)
}

// A file that stays unreadable does not hold up those behind it, and the next start tries it again.
func TestUnreadableForLong(t *testing.T) {
	dir := t.TempDir()
	path := segmentPath(dir, 1, pendingSuffix)
	synctest.Test(t, func(t *testing.T) {
		write(t, segmentPath(dir, 0, pendingSuffix), segmentOf(0, 3))
		write(t, path, segmentOf(3, 5))
		write(t, segmentPath(dir, 2, pendingSuffix), segmentOf(5, 7))
		next := &fakeNext{refuse: errDown}
		s := openAt(t, Options{Dir: dir, Next: next})
		synctest.Wait() // the first block of the first file was refused, and the second file is not open
		moved := filepath.Join(t.TempDir(), "moved")
		if err := errors.Join(os.Rename(path, moved), os.Symlink(path, path)); err != nil {
			t.Fatal(err)
		}
		next.set(nil, nil)
		time.Sleep(2 * unreadableFor) // virtual
		if got := next.delivered(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Concat(ids(0, 3), ids(5, 7))) {
			t.Errorf("sent %v", got)
		}
		closeNow(t, s)
		if err := os.Rename(moved, segmentPath(dir, 1, damagedSuffix)); err != nil {
			t.Fatal(err)
		}
	})
	sent, _, got := spoolOver(t, dir)
	if !slices.Equal(sent, ids(3, 5)) || got.damaged != 0 {
		t.Errorf("the next start sent %v; totals %+v", sent, got)
	}
	wantFiles(t, dir, lockName)
}
