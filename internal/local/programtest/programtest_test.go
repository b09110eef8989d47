package programtest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
)

// printPath has TestPath print the path of the program and end.
const printPath = "TAPEDECK_TEST_PRINT_PATH"

func TestPath(t *testing.T) {
	if os.Getenv(printPath) != "" {
		if one, two := Path(t), Path(t); one != two {
			t.Errorf("%s, then %s", one, two)
		}
		out, err := exec.Command(Path(t), "version").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		os.Stdout.WriteString("path=" + Path(t) + "\n")
		os.Exit(0) // as a test binary ends, without any clean-up
	}
	t.Setenv(ProgramEnv, "")
	path := printed(t)
	bounded.Until(t, "the program is removed with its directory", func() bool {
		_, err := os.Stat(filepath.Dir(path))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// A program that was built before is not built again, and stays.
func TestPathOfBuilt(t *testing.T) {
	built := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(built, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ProgramEnv, built)
	if path := printed(t); path != built {
		t.Errorf("the program is %s, want %s", path, built)
	}
	if _, err := os.Stat(built); err != nil {
		t.Error(err)
	}
}

// printed runs TestPath in another process and returns the path that it prints.
func printed(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPath$")
	cmd.Env = append(os.Environ(), printPath+"=1")
	out, err := cmd.CombinedOutput()
	_, path, ok := strings.Cut(string(out), "path=")
	if err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(path)
}
