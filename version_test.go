package tapedeck

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	version := strings.TrimSpace(file)
	if !regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`).MatchString(version) {
		t.Errorf("VERSION holds %q, not three numbers (semver.org)", version)
	}
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(changes), "\n## "+version+"\n") {
		t.Errorf("CHANGELOG.md has no section %s", version)
	}
}

func TestVersionWithCommit(t *testing.T) {
	for _, c := range []struct {
		commit   string
		modified bool
		want     string
	}{
		{"", false, "0.1.0"},
		{"", true, "0.1.0"},
		{"1f2e3d4c5b6a79880000", false, "0.1.0+1f2e3d4c5b6a"},
		{"1f2e3d4c5b6a79880000", true, "0.1.0+1f2e3d4c5b6a.dirty"},
	} {
		if got := withCommit("0.1.0", c.commit, c.modified); got != c.want {
			t.Errorf("withCommit(0.1.0, %q, %v) = %q, want %q", c.commit, c.modified, got, c.want)
		}
	}
}
