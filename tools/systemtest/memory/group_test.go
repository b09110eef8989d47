package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
)

// group is a control group that bounds the memory of its processes.
type group struct {
	dir     string
	version int
}

// newGroup makes a control group of so many bytes, which is removed when the test ends. It skips the
// test if the machine allows none.
func newGroup(t *testing.T, bytes int64) *group {
	t.Helper()
	var reasons []error
	for version, parent := range map[int]string{1: "/sys/fs/cgroup/memory", 2: "/sys/fs/cgroup"} {
		g := &group{filepath.Join(parent, fmt.Sprintf("tapedeck-test-%d", os.Getpid())), version}
		if err := g.make(bytes); err != nil {
			_ = os.Remove(g.dir) // what was made of it
			reasons = append(reasons, err)
			continue
		}
		t.Cleanup(func() { g.remove(t) })
		return g
	}
	fulltest.Missing(t, "no control group for memory can be made: ", errors.Join(reasons...))
	return nil
}

// make makes the group.
func (g *group) make(bytes int64) error {
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return err
	}
	limit := "memory.limit_in_bytes"
	if g.version == 2 {
		limit = "memory.max"
	}
	if _, err := os.Stat(filepath.Join(g.dir, limit)); err != nil { // it would be made as a file
		return err
	}
	return os.WriteFile(filepath.Join(g.dir, limit), []byte(strconv.FormatInt(bytes, 10)), 0o644)
}

// remove removes the group, whose processes have ended.
func (g *group) remove(t *testing.T) {
	var err error
	for range 50 {
		if err = os.Remove(g.dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(100 * time.Millisecond) // between two attempts: the kernel frees the group some time after its last process ended
	}
	t.Error(err)
}

// processes is the file to which a process writes its id to enter the group.
func (g *group) processes() string { return filepath.Join(g.dir, "cgroup.procs") }

// most returns the most bytes that the group had, 0 if the kernel does not say.
func (g *group) most() int64 {
	if g.version == 1 {
		return g.number("memory.max_usage_in_bytes")
	}
	return g.number("memory.peak")
}

// kills returns how many processes the kernel has killed for lack of memory.
func (g *group) kills() int64 {
	file := "memory.events"
	if g.version == 1 {
		file = "memory.oom_control"
	}
	text, _ := os.ReadFile(filepath.Join(g.dir, file))
	found := regexp.MustCompile(`(?m)^oom_kill (\d+)$`).FindSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return n
}

// anonymous returns the bytes of the processes now, without files.
func (g *group) anonymous() int64 {
	text, _ := os.ReadFile(filepath.Join(g.dir, "memory.stat"))
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 2 && (f[0] == "rss" || f[0] == "anon") {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}

func (g *group) number(file string) int64 {
	text, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
