package migrate

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// cpuSeconds returns the user and system time of this process and of its children, which are the
// processes of ClickHouse. It skips the benchmark on systems without /proc.
func cpuSeconds(b *testing.B) (sum float64) {
	b.Helper()
	const ticks = 100 // of a second, in all of Linux's files
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		b.Skip("no /proc here")
	}
	self := strconv.Itoa(os.Getpid())
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ") // the name may have blanks
		fields := strings.Fields(rest)
		if filepath.Base(filepath.Dir(path)) != self && fields[1] != self {
			continue
		}
		for _, field := range fields[11:13] {
			n, err := strconv.ParseFloat(field, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += n / ticks
		}
	}
	return sum
}
