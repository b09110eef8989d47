package settings

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A secret that other users can read is reported, unless a container platform has mounted it so.
func TestExposedSecrets(t *testing.T) {
	for _, c := range []struct {
		mode os.FileMode
		name string
		says bool
	}{
		{0o600, "/etc/tapedeck/password", false},
		{0o640, "/etc/tapedeck/password", false},
		{0o644, "/etc/tapedeck/password", true},
		{0o444, "/run/secrets/password", false},
		{0o444, "/run/secrets/../password", true},
		{0o444, "/run/secretsof/password", true},
	} {
		real, err := os.Open(write(t, "secret", c.mode))
		if err != nil {
			t.Fatal(err)
		}
		fd, err := syscall.Dup(int(real.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), c.name)
		if text := exposed("--password-file", f); (text != "") != c.says || c.says && !strings.Contains(text, "chmod 600 "+c.name) {
			t.Errorf("%04o %s: %q", c.mode, c.name, text)
		}
		_, _ = f.Close(), real.Close()
	}
}
