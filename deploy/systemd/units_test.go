package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"tapedeck/internal/fulltest"
)

// mostExposed bounds the exposure that systemd-analyze states, from 0 to 10.
const mostExposed = 1.5

// TestUnits has systemd check the units, in a directory with the units of the machine that they
// refer to.
func TestUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		fulltest.Missing(t, err)
	}
	root := t.TempDir()
	units := filepath.Join(root, "usr/lib/systemd/system")
	for _, dir := range []string{units, filepath.Join(root, "usr/bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "usr/bin/tapedeck"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", "cp -r /lib/systemd/system/. "+units+" && cp -r units/. "+units).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, unit := range []string{"tapedeck.service", "tapedeck@ingest.service", "tapedeck@sink.service", "tapedeck@api.service"} {
		if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--root="+root, unit).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", unit, err, out)
		}
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--no-pager", "--root="+root, unit).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", unit, err, out)
		}
		found := regexp.MustCompile(`exposure level for \S+: ([0-9.]+)`).FindSubmatch(out)
		if found == nil {
			t.Fatalf("%s: no exposure\n%s", unit, out)
		}
		if exposure, err := strconv.ParseFloat(string(found[1]), 64); err != nil || exposure > mostExposed {
			t.Errorf("%s has exposure %s, want %v at most\n%s", unit, found[1], mostExposed, out)
		}
	}
}
