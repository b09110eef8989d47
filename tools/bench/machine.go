package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// Machine describes the machine of a run in texts; "" for unknown values.
type Machine struct {
	CPU    string `json:"cpu"` // model
	Cores  int    `json:"cores"`
	Memory string `json:"memory,omitempty"`
	Kernel string `json:"kernel,omitempty"`
	Disk   string `json:"disk,omitempty"` // size and kind of the file system that is written to
}

// thisMachine describes the machine, and the disk that dir is on.
func thisMachine(dir string) Machine {
	m := Machine{Cores: runtime.NumCPU(), CPU: runtime.GOARCH}
	if name := field("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	if kib := field("/proc/meminfo", "MemTotal"); kib != "" {
		var n uint64
		if _, err := fmt.Sscan(kib, &n); err == nil {
			m.Memory = humanize.IBytes(n << 10)
		}
	}
	if out, err := exec.Command("uname", "-sr").Output(); err == nil {
		m.Kernel = strings.TrimSpace(string(out))
	}
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) == nil {
		m.Disk = humanize.Bytes(fs.Blocks * uint64(fs.Bsize))
		if out, err := exec.Command("stat", "-f", "-c", "%T", dir).Output(); err == nil {
			m.Disk += " " + strings.TrimSpace(string(out))
		}
	}
	return m
}

// field returns the value after "name:" in a file of such lines.
func field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for in := bufio.NewScanner(bytes.NewReader(data)); in.Scan(); {
		key, value, ok := strings.Cut(in.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
