// Package memorylimit finds the memory that this process may take: the least limit of its control
// groups, of version 1 or 2, and of the groups that these are in.
package memorylimit

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Group returns the least memory limit of the control groups that the process is in, bytes; 0 if
// there is none that is less than the machine's memory, or on a system without control groups.
func Group() uint64 { return group(os.DirFS("/")) }

// Total returns Group, or the machine's memory if Group is 0; 0 if neither is known.
func Total() uint64 {
	root := os.DirFS("/")
	if limit := group(root); limit > 0 {
		return limit
	}
	return machine(root)
}

// group implements Group for a file system.
func group(root fs.FS) uint64 {
	var least uint64
	read := func(file string) {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return
		}
		limit, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64) // or it is "max"
		if err == nil && limit > 0 && (least == 0 || limit < least) {
			least = limit
		}
	}
	for _, dir := range groups(root, "") {
		read(path.Join("sys/fs/cgroup", dir, "memory.max"))
	}
	for _, dir := range groups(root, "memory") {
		read(path.Join("sys/fs/cgroup/memory", dir, "memory.limit_in_bytes"))
	}
	if most := machine(root); most > 0 && least >= most {
		return 0 // a group of version 1 without a limit has a very large one
	}
	return least
}

// groups returns the paths of the process's control group and of those around it, down to the root,
// which is where a container has its own. controller is "" for version 2.
func groups(root fs.FS, controller string) []string {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	all := []string{"/"}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(fields) < 3 || !strings.Contains(","+fields[1]+",", ","+controller+",") {
			continue
		}
		for dir := path.Clean("/" + fields[2]); dir != "/"; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	return all
}

// machine returns the memory of the machine, bytes; 0 if it is unknown.
func machine(root fs.FS) uint64 {
	text, _ := fs.ReadFile(root, "proc/meminfo")
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "MemTotal:" {
			kib, _ := strconv.ParseUint(string(f[1]), 10, 53)
			return kib << 10
		}
	}
	return 0
}
