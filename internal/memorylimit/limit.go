// Package memorylimit determines the memory that this process may use: the lowest limit of its
// control groups, of version 1 or 2, and of their parent groups.
package memorylimit

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Group returns the lowest memory limit of the control groups of the process, bytes. It returns 0
// if no limit is below the machine's memory, and on a system without control groups.
func Group() uint64 { return group(os.DirFS("/")) }

// Total returns Group, or the machine's memory if Group is 0; 0 if neither is known.
func Total() uint64 {
	root := os.DirFS("/")
	if limit := group(root); limit > 0 {
		return limit
	}
	return machine(root)
}

// group implements Group, given the root of a file system.
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
		return 0 // a group of version 1 without a limit reports a very large number
	}
	return least
}

// groups returns the paths of the process's control group and of its parents up to the root. In a
// container the group of the container is at the root. controller is "" for version 2.
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
