package bounded

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatComes(t *testing.T) {
	c := make(chan int, 1)
	c <- 7
	if v := Receive(t, c); v != 7 {
		t.Errorf("received %d", v)
	}
	var g sync.WaitGroup
	g.Go(func() { c <- 8 })
	Wait(t, g.Wait)
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := Command(t, cmd); err != nil {
		t.Error(err)
	}
}

// failing is a test that ends its goroutine's work when it fails, as a real one does.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	panic(f)
}

// A condition is polled until it is true, and fails the test if it stays false.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, polls := time.Now(), 0
		Until(t, "three polls", func() bool { polls++; return polls == 3 })
		if took := time.Since(began); polls != 3 || took > time.Second {
			t.Errorf("%d polls in %v", polls, took)
		}
		f := &failing{TB: t}
		defer func() {
			if recover() != f || !strings.Contains(f.said, "not within") || time.Since(began) < Limit {
				t.Errorf("it says %q after %v", f.said, time.Since(began))
			}
		}()
		Until(f, "never", func() bool { return false })
	})
}

func TestWhatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{TB: t}
		defer func() {
			if recover() != f || !strings.Contains(f.said, "nothing came within") {
				t.Errorf("it says %q", f.said)
			}
		}()
		Receive(f, make(chan int))
	})
}

// The first line of a command is read; a command that prints none fails the test with its threads.
func TestLine(t *testing.T) {
	start := func(script string) (*exec.Cmd, *bufio.Reader) {
		cmd := exec.Command("sh", "-c", script)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { Command(t, cmd) })
		return cmd, bufio.NewReader(out)
	}
	cmd, out := start("echo first; echo second")
	if got := Line(t, cmd, out); got != "first" {
		t.Errorf("read %q", got)
	}
	for script, want := range map[string]string{"exit 0": "printed no line: ", "exec sleep 600": "State:"} {
		func() {
			f := &failing{TB: t}
			cmd, out := start(script)
			defer func() {
				if recover() != f || !strings.Contains(f.said, want) {
					t.Errorf("%s: it says %q", script, f.said)
				}
			}()
			line(f, cmd, out, 2*time.Second)
		}()
	}
}
