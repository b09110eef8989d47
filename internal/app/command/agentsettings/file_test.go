package agentsettings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file keeps its mode and a link its target; nothing else is left in the folder.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real", "settings.json"), filepath.Join(dir, "settings.json")
	if err := Write(file, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != `{"a":1}` {
		t.Errorf("%s, %v", text, err)
	}
	if info, err = os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := Remove(link); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "{}\n" {
		t.Errorf("the file of a link: %s, %v", text, err)
	}
	if err := Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is still there")
	}
	nowhere := filepath.Join(dir, "nowhere.json")
	if err := os.Symlink(filepath.Join(dir, "none"), nowhere); err != nil {
		t.Fatal(err)
	}
	if err := Write(nowhere, nil); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}
