package outlet

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Spools wait to be sent that hold blocks, also if all of them were refused before.
func TestWaitingSpools(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	home, err := SpoolHome()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"0/lock", "1/0000000000000000.spool", "1/0000000000000001.refused", "1/0000000000000002.spool",
		"2/0000000000000000.refused", "3/0000000000000000.damaged",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := WaitingSpools()
	if want := []string{filepath.Join(home, "1"), filepath.Join(home, "2")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}

// Without a home directory each error names the variables to set, and only what a spool is for names --no-spool.
func TestNoHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, "")
	}
	for _, tc := range []struct {
		home func() (string, error)
		want string
	}{
		{SpoolHome, "find a directory for the spool: $HOME is not defined: set HOME, or XDG_STATE_HOME to an absolute path; or record with --no-spool"},
		{SyncHome, "find a directory for the progress of sync: $HOME is not defined: set HOME, or XDG_STATE_HOME to an absolute path"},
		{FollowHome, "find a directory for the progress of followed files: $HOME is not defined: set HOME, or XDG_STATE_HOME to an absolute path"},
		{NATSHome, "find a directory for the progress of NATS streams: $HOME is not defined: set HOME, or XDG_STATE_HOME to an absolute path"},
	} {
		if got, err := tc.home(); err == nil || err.Error() != tc.want {
			t.Errorf("%q, %v; want the error %q", got, err, tc.want)
		}
	}
}
