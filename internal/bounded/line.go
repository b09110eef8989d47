package bounded

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Line reads the first line that a started command prints, without its line end. If none comes, Line
// kills the command and the test fails with what each thread of the command waited for, as the kernel
// reports it. The reader may hold more of the output than the line.
func Line(t testing.TB, cmd *exec.Cmd, out *bufio.Reader) string {
	t.Helper()
	return line(t, cmd, out, Limit)
}

func line(t testing.TB, cmd *exec.Cmd, out *bufio.Reader, limit time.Duration) string {
	t.Helper()
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := out.ReadString('\n')
		done <- read{line, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		if r.err != nil {
			t.Fatalf("%q printed no line: %v (%q)", cmd.Args, r.err, r.line)
		}
		return strings.TrimSuffix(r.line, "\n")
	case <-timer.C:
	}
	waits := threads(cmd.Process.Pid)
	_ = cmd.Process.Kill() // it may have ended at this moment
	t.Fatalf("%q printed no line within %v and was killed; its threads:\n%s", cmd.Args, limit, waits)
	panic("not reached")
}

// threads lists the threads of a process: name, state and what the kernel waits for. It is empty where
// there is no /proc.
func threads(pid int) string {
	tasks, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*"))
	var b strings.Builder
	for _, task := range tasks {
		for _, name := range []string{"comm", "syscall", "wchan", "stack"} {
			text, err := os.ReadFile(filepath.Join(task, name))
			if err != nil {
				text = []byte(err.Error())
			}
			b.WriteString(name + ": " + strings.TrimSpace(string(text)) + "\n")
		}
		if status, err := os.ReadFile(filepath.Join(task, "status")); err == nil {
			for l := range strings.SplitSeq(string(status), "\n") {
				if strings.HasPrefix(l, "State:") || strings.HasPrefix(l, "Sig") || strings.HasPrefix(l, "voluntary") {
					b.WriteString(l + "\n")
				}
			}
		}
	}
	return b.String()
}
