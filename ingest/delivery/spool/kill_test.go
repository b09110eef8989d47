package spool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/bounded"
)

// playChild is what this test program does in a process of its own.
func playChild(part, dir string) error {
	switch part {
	case "writer":
		return writeUntilKilled(dir)
	case "limited":
		return writeToSmallFiles(dir)
	}
	return fmt.Errorf("no such part: %q", part)
}

// child starts this test program in another process.
func child(t *testing.T, part, dir string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, dir)
	cmd.Env = append(os.Environ(), childVar+"="+part)
	cmd.Stderr = t.Output()
	return cmd
}

const writers, killSize = 4, 300 << 10

// writeUntilKilled publishes blocks, while the next publisher is away, and
// prints the id of each once it is durable.
func writeUntilKilled(dir string) error {
	s, err := Open(Options{Dir: dir, Next: &fakeNext{refuse: errDown}, Limit: 1 << 30, SegmentSize: 4 << 20})
	if err != nil {
		return err
	}
	first, err := strconv.Atoi(os.Getenv("FIRST"))
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := first + w; ; i += writers {
				p := testBlock(i, killSize+i%1000)
				s.Publish(context.Background(), p, func(err error) {
					if err == nil {
						os.Stdout.WriteString(p.ID + "\n")
					}
				})
			}
		})
	}
	all.Wait()
	return nil
}

// A kill in the middle of a write costs nothing that was called durable.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	var durable []string
	first, torn := 0, 0
	for range 6 {
		cmd := child(t, "writer", dir)
		cmd.Env = append(cmd.Env, "FIRST="+strconv.Itoa(first))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hung := time.AfterFunc(bounded.Limit, func() { cmd.Process.Kill() })
		defer hung.Stop()
		lines := bufio.NewScanner(out)
		stop := 10 + rand.IntN(30)
		for n := 0; lines.Scan(); n++ {
			durable = append(durable, lines.Text())
			i, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			first = max(first, i+2*writers)
			if n == stop {
				cmd.Process.Kill()
			}
		}
		var exit *exec.ExitError
		if err := bounded.Command(t, cmd); !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("the child ended by itself: %v", err)
		}
		torn += tornFiles(t, dir)
	}
	t.Logf("%d blocks were called durable; %d files ended in a torn record", len(durable), torn)

	next := &fakeNext{}
	s := openAt(t, Options{Dir: dir, Next: next, Limit: 1 << 30})
	drained(t, s)
	closeNow(t, s)
	got := next.delivered()
	for _, id := range durable {
		if !slices.Contains(got, id) {
			t.Errorf("block %s was called durable and never delivered", id)
		}
	}
	wantFiles(t, dir, lockName)
}

// tornFiles counts the files of a spool that end in half a record.
func tornFiles(t *testing.T, dir string) (n int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), pendingSuffix) {
			continue
		}
		c, err := walkSegment(dir+"/"+e.Name(), true)
		if err != nil {
			t.Fatal(err)
		}
		if c.torn() > 0 {
			n++
		}
	}
	return n
}

// The directory of a process that was killed is free for the next.
func TestLockGoesWithTheProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "writer", dir)
	cmd.Env = append(cmd.Env, "FIRST=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Line(t, cmd, bufio.NewReader(out))
	_, err = Open(Options{Dir: dir, Next: &fakeNext{}})
	if want := fmt.Sprintf("process %d ", cmd.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("while process %d holds it: %v", cmd.Process.Pid, err)
	}
	cmd.Process.Kill()
	bounded.Command(t, cmd)
	s := openAt(t, Options{Dir: dir, Next: &fakeNext{delay: time.Millisecond}})
	closeNow(t, s)
}
