package operate

import (
	"net/http"
	"testing"

	"golang.org/x/sys/unix"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// On a small disk all is well, dead letters included: what JetStream may hold is
// less, and nothing is waited for that cannot be.
func TestSmallDisk(t *testing.T) {
	commandtest.NeedEngine(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=220m"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v); TestDeadLettersOnASmallDisk shows the same of JetStream", err)
	}
	// A ClickHouse whose parent was killed takes a moment to end.
	defer bounded.Until(t, "the file system to be unmounted", func() bool { return unix.Unmount(dir, 0) == nil })
	s, err := commandtest.StartUp(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if status, body, _ := s.Get(t, "/v1/dead-letters"); status != http.StatusOK {
		t.Errorf("dead letters: %d %s", status, body)
	}
	if free := s.Metric(t, `tapedeck_disk_size_bytes{dir="`+dir+`/spool"}`); free != 220<<20 {
		t.Errorf("the disk has %v bytes", free)
	}
}
