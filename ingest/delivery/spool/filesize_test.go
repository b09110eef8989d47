package spool

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tapedeck/internal/bounded"
)

// Writes that the system cuts short leave no trace between whole records.
func TestFileSizeLimit(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "limited", dir)
	if out, err := cmd.Output(); err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
}

// writeToSmallFiles runs in a process that may write files of 300 kB only.
func writeToSmallFiles(dir string) error {
	limit := unix.Rlimit{Cur: 300_000, Max: 300_000}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	next := &fakeNext{refuse: errDown}
	s, err := Open(Options{Dir: dir, Next: next})
	if err != nil {
		return err
	}
	// After the first block the spool knows that Next is down.
	err = s.Publish(context.Background(), testBlock(0, 70_000), func(error) {})
	taken := 1
	for err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		if err = s.Publish(ctx, testBlock(taken, 70_000), func(error) {}); err == nil {
			taken++
		}
		cancel()
	}
	if taken != 4 || !errors.Is(err, ErrFull) || !errors.Is(err, unix.EFBIG) {
		return fmt.Errorf("after %d blocks: %w", taken, err)
	}
	// A smaller one fits into what the cut-off one left.
	if err := s.Publish(context.Background(), testBlock(taken, 1000), func(error) {}); err != nil {
		return err
	}
	if err := s.Close(context.Background()); err != nil {
		return err
	}
	if s, err = Open(Options{Dir: dir, Next: next}); err != nil {
		return err
	}
	next.set(nil, nil)
	for end := time.Now().Add(bounded.Limit); s.State().Blocks > 0; time.Sleep(time.Millisecond) { // between two looks at the condition
		if time.Now().After(end) {
			return errors.New("what was written is not sent")
		}
	}
	if got := fmt.Sprint(inOrder(next.attempts())); got != "[0 1 2 3 4]" {
		return fmt.Errorf("sent %s", got)
	}
	return s.Close(context.Background())
}
