package memorylimit

import (
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	v2 = "sys/fs/cgroup/"
	v1 = "sys/fs/cgroup/memory/"
)

func TestGroup(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  uint64
	}{
		{"no groups", nil, 0},
		{"a container of version 2", map[string]string{"proc/self/cgroup": "0::/\n", v2 + "memory.max": "1073741824\n"}, 1 << 30},
		{"without a limit", map[string]string{"proc/self/cgroup": "0::/\n", v2 + "memory.max": "max\n"}, 0},
		{"a unit of a service manager", map[string]string{
			"proc/self/cgroup": "0::/system.slice/tapedeck.service\n", v2 + "system.slice/tapedeck.service/memory.max": "536870912\n",
		}, 512 << 20},
		{"the group around it has less", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", v2 + "a/memory.max": "268435456\n", v2 + "a/b/memory.max": "536870912\n",
		}, 256 << 20},
		{"a container of version 1", map[string]string{
			"proc/self/cgroup": "4:cpu,cpuacct:/x\n3:memory:/docker/abc\n", v1 + "memory.limit_in_bytes": "1073741824\n",
		}, 1 << 30},
		{"a group of version 1", map[string]string{
			"proc/self/cgroup": "3:memory:/a\n", v1 + "memory.limit_in_bytes": "9223372036854771712\n", v1 + "a/memory.limit_in_bytes": "1073741824\n",
		}, 1 << 30},
		{"version 1 without a limit", map[string]string{"proc/self/cgroup": "3:memory:/\n", v1 + "memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		{"another controller's group", map[string]string{"proc/self/cgroup": "3:cpu:/a\n", v1 + "a/memory.limit_in_bytes": "1073741824\n"}, 0},
		{"nonsense", map[string]string{"proc/self/cgroup": "::\nx\n", v2 + "memory.max": "-1"}, 0},
	} {
		files := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal:       16777216 kB\nMemFree:         1024 kB\n")}}
		for name, text := range c.files {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := group(files); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestMachine(t *testing.T) {
	for text, want := range map[string]uint64{"MemTotal: 16384 kB\n": 16 << 20, "MemTotal: x kB": 0, "": 0} {
		if got := machine(fstest.MapFS{"proc/meminfo": {Data: []byte(text)}}); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
