package server

import "testing"

func TestMemoryOf(t *testing.T) {
	const machine = "MemTotal:       16384 kB\nMemFree:         1024 kB\n"
	for _, c := range []struct {
		group, machine string
		want           uint64
	}{
		{"1073741824\n", machine, 1 << 30},
		{"max\n", machine, 16 << 20},
		{"", machine, 16 << 20},
		{"", "", 0},
		{"-1", "MemTotal: x kB", 0},
	} {
		if got := memoryOf([]byte(c.group), []byte(c.machine)); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.group, c.machine, got, c.want)
		}
	}
}
