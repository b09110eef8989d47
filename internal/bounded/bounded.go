// Package bounded bounds the waits of tests: a test that would hang fails, and reports where it
// waited.
package bounded

import (
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Limit bounds each wait. It is not a performance limit: a shared machine can be very slow.
const Limit = 5 * time.Minute

// Wait calls a function that waits, such as the Wait of a sync.WaitGroup.
func Wait(t testing.TB, wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	Receive(t, done)
}

// Receive receives from a channel. It returns the zero value if the channel is closed.
func Receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	limit := time.NewTimer(Limit)
	defer limit.Stop()
	select {
	case v := <-c:
		return v
	case <-limit.C:
		t.Fatalf("nothing came within %v; all goroutines:\n%s", Limit, stacks())
	}
	panic("not reached")
}

// Until polls a condition until it is true. It pauses for three times as long as the condition took,
// from 5 ms to half a second: conditions that are expensive, such as requests to a server, leave the
// processors to what they wait for.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit); ; {
		began := time.Now()
		if ok() {
			return
		}
		now := time.Now()
		if now.After(end) {
			t.Fatalf("%s: not within %v", what, Limit)
		}
		time.Sleep(min(max(3*now.Sub(began), 5*time.Millisecond), 500*time.Millisecond)) // between two polls
	}
}

// Command waits for a started command. If the command does not end, Command kills it and the test
// fails.
func Command(t testing.TB, cmd *exec.Cmd) error {
	t.Helper()
	killed := time.AfterFunc(Limit, func() { _ = cmd.Process.Kill() }) // it may have ended at this moment
	err := cmd.Wait()
	if !killed.Stop() {
		t.Errorf("%q did not end within %v and was killed", cmd.Args, Limit)
	}
	return err
}

func stacks() []byte {
	all := make([]byte, 256<<10)
	return all[:runtime.Stack(all, true)]
}
