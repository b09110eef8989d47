package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// A recording command says at its start that the disk of its spool is nearly full, and records.
func TestRecordOnFullSpoolDisk(t *testing.T) {
	s := commandtest.Shared(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	record := func() string {
		cmd := s.Command(t, "record", "--again", commandtest.TextFile(t, []byte(`{"type":"note"}`+"\n")))
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+dir)
		_, diag, exit := commandtest.Finish(t, cmd)
		if exit != 0 || !strings.Contains(diag, "recorded 1 frame") {
			t.Errorf("exit %d: %s", exit, diag)
		}
		return diag
	}
	const says = "spool: its disk is nearly full"
	if diag := record(); strings.Contains(diag, says) {
		t.Errorf("the disk has room: %s", diag)
	}
	if err := os.WriteFile(filepath.Join(dir, "full"), bytes.Repeat([]byte("x"), 62<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if diag := record(); strings.Count(diag, says) != 1 || !strings.Contains(diag, "make room on that disk") {
		t.Errorf("the disk is nearly full: %s", diag)
	}
}
