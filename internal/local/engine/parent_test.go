package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"tapedeck/internal/bounded"
)

// parentCommand makes the test binary a parent that the tests can kill: it
// starts an engine, prints where it is, and waits.
const parentCommand = "engine-parent"

type parentReport struct {
	Health Health
	DSN    string
}

func parentMain(args []string) int {
	s, err := Start(context.Background(), Options{Dir: args[0], Ephemeral: len(args) > 1})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := json.NewEncoder(os.Stdout).Encode(parentReport{s.Health(), s.DSN()}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	time.Sleep(time.Minute) // the test kills this process before
	return 1
}

// startParent runs a parent and returns it with what it reported.
func startParent(t *testing.T, args ...string) (*exec.Cmd, parentReport) {
	t.Helper()
	needEngine(t)
	parent := exec.Command(os.Args[0], append([]string{parentCommand}, args...)...)
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		parent.Process.Kill()
		bounded.Command(t, parent)
	})
	var report parentReport
	if err := json.Unmarshal([]byte(bounded.Line(t, parent, bufio.NewReader(out))), &report); err != nil {
		t.Fatal(err)
	}
	return parent, report
}
