package settings

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe without a writer, an endless file and a large one are refused without waiting or reading
// them whole, and the watch of the file, which reads what took its place, sees that it has changed.
func TestFileText(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("large"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path("large"), 1<<40); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", path("endless")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe": "it is a pipe", "large": "larger than 1MiB", "endless": "larger than 1MiB", "": "is a directory", "missing": "there is no file",
	} {
		if _, err := fileText(path(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if got := string(content(path(name))); !strings.Contains(got, want) {
			t.Errorf("%s is seen as %q, want %q", name, got, want)
		}
	}
	if text, err := fileText(os.DevNull); err != nil || len(text) != 0 {
		t.Errorf("the null device: %q, %v", text, err)
	}
}
