package settings

import (
	"strings"
	"testing"
)

// The defaults of the limits in bytes are shares of the memory, which they do not exceed together; a
// limit that is set stays.
func TestFitMemory(t *testing.T) {
	const group = 1_000_000_000
	for _, c := range []struct {
		args              string
		group, clickhouse uint64
		memory            uint64
		want              map[string]string // value and origin
		warned            bool
	}{
		{"serve", 0, 1 << 30, 0, map[string]string{"max-reader-bytes": "1GiB default", "max-writer-bytes": "512MiB default", "max-streams": "10000 default"}, false},
		{"serve", group, 1 << 30, group, map[string]string{
			"max-streams": "10000 default", "max-reader-bytes": "41MiB memory", "max-writer-bytes": "41MiB memory",
			"sink-held-bytes": "15MiB memory", "sink-batch-bytes": "5MiB memory", "session-cache-bytes": "10MiB memory", "max-cached-bytes": "256MiB default",
		}, false},
		{"serve --memory 1GB", 64 << 30, 0, group, map[string]string{"max-reader-bytes": "41MiB memory"}, false},
		{"serve --role ingest", group, 0, group, map[string]string{"max-writer-bytes": "129MiB memory", "max-reader-bytes": "1GiB default"}, false},
		{"serve --max-reader-bytes 64MiB", group, 0, group, map[string]string{"max-reader-bytes": "64MiB flag", "max-writer-bytes": "41MiB memory"}, false},
		{"serve --max-reader-bytes 1GiB", group, 0, group, map[string]string{"max-reader-bytes": "1GiB flag"}, true},
		{"serve", 512 << 20, 0, 512 << 20, map[string]string{"max-streams": "5461 memory"}, false},
		{"serve", 64 << 30, 0, 64 << 30, map[string]string{"max-reader-bytes": "1GiB default", "sink-held-bytes": "128MiB default"}, false},
		{"up", 4 << 30, 1 << 30, 3 << 30, map[string]string{"max-cached-bytes": "134MiB memory", "max-reader-bytes": "359MiB memory"}, false},
	} {
		_, s, err := load(t, nil, strings.Fields(c.args)...)
		if err != nil {
			t.Fatal(err)
		}
		s.fitMemory(c.group, c.clickhouse)
		if s.Memory() != c.memory {
			t.Errorf("%s in %d: %d bytes of memory, want %d", c.args, c.group, s.Memory(), c.memory)
		}
		for _, e := range s.Effective() {
			if want, ok := c.want[e.Name]; ok && e.Value+" "+e.From.String() != want {
				t.Errorf("%s in %d: --%s is %s %v, want %s", c.args, c.group, e.Name, e.Value, e.From, want)
			}
		}
		if got := strings.Contains(strings.Join(s.Warnings(), "\n"), "--max-reader-bytes 1GiB"); got != c.warned {
			t.Errorf("%s in %d: warnings %q", c.args, c.group, s.Warnings())
		}
	}
}

// Whatever the memory, the defaults fit into it.
func TestSharesFit(t *testing.T) {
	for _, command := range []string{"serve", "up", "serve --role ingest", "serve --role sink", "serve --role api"} {
		for memory := uint64(900 << 20); memory < 64<<30; memory += memory / 3 {
			_, s, err := load(t, nil, strings.Fields(command)...)
			if err != nil {
				t.Fatal(err)
			}
			s.fitMemory(memory, memory/4)
			if len(s.Warnings()) > 0 {
				t.Errorf("%s in %d bytes: %q", command, memory, s.Warnings())
			}
		}
	}
}
