package background_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/command/background"
	"tapedeck/internal/bounded"
)

// The log begins anew when it is large.
func TestLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "state", "x.log")
	for _, line := range []string{"a", "b"} {
		if err := background.Log(log, line); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "a\nb\n" {
		t.Errorf("%.40q, %v", text, err)
	}
	if err := os.WriteFile(log, bytes.Repeat([]byte("x"), 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := background.Log(log, "c"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "c\n" {
		t.Errorf("%.40q, %v", text, err)
	}
}

// The process has a session of its own, and writes to the log.
func TestStart(t *testing.T) {
	log := filepath.Join(t.TempDir(), "x.log")
	if err := background.Start(log, "/bin/sh", []string{"X=done"}, []string{"-c", `ps -o sid= -p $$ | tr -d ' '; echo $$; echo $X >&2`}); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the process has ended", func() bool {
		text, err := os.ReadFile(log)
		return err == nil && strings.HasSuffix(string(text), "done\n")
	})
	text, err := os.ReadFile(log)
	if lines := strings.Fields(string(text)); err != nil || len(lines) != 3 || lines[0] != lines[1] {
		t.Errorf("session, process, end: %q, %v", text, err)
	}
	if err := background.Start(log, "/no/program", nil, nil); err == nil {
		t.Error("a program that does not exist was started")
	}
}
