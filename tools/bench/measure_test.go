package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/bounded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMedians(t *testing.T) {
	pass := func(bytes uint64) Pass { return Pass{Frames: bytes / 10, Bytes: bytes, Took: time.Second} }
	for _, c := range []struct {
		passes            Passes
		median, low, high uint64
	}{
		{Passes{pass(70)}, 70, 70, 70},
		{Passes{pass(90), pass(10)}, 10, 10, 90},
		{Passes{pass(30), pass(10), pass(20)}, 20, 10, 30},
	} {
		low, high := c.passes.Range()
		if got := c.passes.Median(); got != pass(c.median) || low != pass(c.low) || high != pass(c.high) {
			t.Errorf("%v: median %v, range %v to %v", c.passes, got, low, high)
		}
	}
}

func TestPercentiles(t *testing.T) {
	var d []time.Duration
	for i := 1000; i >= 0; i-- {
		d = append(d, time.Duration(i))
	}
	if got, want := percentiles(d), (Percentiles{1001, 500, 900, 950, 990, 999, 1000}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if d[0] != 1000 {
		t.Error("percentiles put the delays in order")
	}
	if (percentiles(nil) != Percentiles{}) {
		t.Error("there are percentiles of nothing")
	}
}

// The figures of /proc about a child equal the figures of the system once it has ended.
func TestOtherProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: there is no /proc")
	}
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo; read line")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	cpu, ok := cpuOf(pid)
	memory, ok2 := resident(pid)
	if !slices.Contains(descendants(os.Getpid()), pid) || !ok || !ok2 || memory == 0 {
		t.Errorf("child %d: CPU %v %v, memory %d %v, children %v", pid, cpu, ok, memory, ok2, descendants(os.Getpid()))
	}
	in.Close()
	_ = bounded.Command(t, cmd) // "read" fails at the end of its input
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if off := used - cpu; off < -2*tick || off > 100*time.Millisecond {
		t.Errorf("CPU %v by /proc, %v by the system", cpu, used)
	}
	if _, ok := cpuOf(pid); ok {
		t.Error("a process that ended has CPU time")
	}
}

func TestLinesOfAFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "frames.ndjson")
	if err := Generate(1000, path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	n, bytes, err := size(path)
	if err != nil || n < 1000 || bytes != uint64(info.Size()) {
		t.Errorf("%d lines, %d bytes of %d: %v", n, bytes, info.Size(), err)
	}
	part := filepath.Join(dir, "part")
	if copied, err := copyLines(part, path, 10); err != nil || copied != 10 {
		t.Errorf("copied %d lines: %v", copied, err)
	}
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	some, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	if begin, err := head(path, len(some)+20); err != nil || string(begin) != string(some) || string(some) != string(all[:len(some)]) {
		t.Errorf("the beginning of the file is %d bytes, want %d: %v", len(begin), len(some), err)
	}
	batches, err := readLines(path)
	if err != nil || len(batches) != 1 || batches[0].Rows() != int(n) {
		t.Errorf("%d batches: %v", len(batches), err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := size(path); err == nil {
		t.Error("a file without frames is taken")
	}
}
