package outlet

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/spool"
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

// A recording uses the spool with blocks for its own server and sender, and passes over others.
func TestSpoolOfTarget(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	home, err := SpoolHome()
	if err != nil {
		t.Fatal(err)
	}
	// Nothing listens at the first ports of a loopback address.
	const first, second = "http://127.0.0.1:1", "http://127.0.0.1:2"
	for i, tc := range []struct {
		server, token, slot string
	}{
		{first, "a", "0"}, {second, "a", "1"}, {first, "b", "2"},
		{"http://user:password@localhost:1/", "a", "0"}, {second, "a", "1"}, {first, "b", "2"},
	} {
		o, err := Open(t.Context(), Options{Server: tc.server, Token: tc.token, Offline: true, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if got := o.spool.State().Dir; got != filepath.Join(home, tc.slot) {
			t.Errorf("%d: %s, want slot %s", i, got, tc.slot)
		}
		stored := make(chan error, 1)
		block := ingest.EncodedBlock{Tenant: "default", Session: "s", ID: fmt.Sprint(i), Frames: 1, Data: []byte("x")}
		if err := o.Publisher().Publish(t.Context(), block, func(err error) { stored <- err }); err != nil {
			t.Fatal(err)
		}
		if err := <-stored; err != nil {
			t.Error(err)
		}
		o.Close()
		text, err := os.ReadFile(filepath.Join(home, tc.slot, "target"))
		if err != nil || strings.Contains(string(text), "password") || strings.Contains(string(text), `"token":"`+tc.token+`"`) {
			t.Errorf("the target has a secret: %s %v", text, err)
		}
	}
	_, err = OpenSpool(t.Context(), Options{Server: second, Token: "a"}, filepath.Join(home, "0"), false)
	if other, is := errors.AsType[*spool.TargetError](err); !is || other.Holds.Server != first {
		t.Errorf("%v", err)
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
