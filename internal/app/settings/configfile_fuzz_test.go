package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A configuration file is refused with errors that name it, or each of its settings is a known one with a text
// or a list of texts.
func FuzzReadFile(f *testing.F) {
	for _, seed := range []string{
		"", "# nothing\n", "max-streams: 100\n", "listen: [a, b]\n", "max_streams: 1", "listen:\n  a: b", "listen: null", "listen: &a [*a]", "listen: *a",
		"- a", "a", "---\nlisten: x\n---\nlisten: y\n", "listen: x\nlisten: y\n", "\xff", "&a [*a]", "listen: !!binary eA==", "? [a]\n: b", "<<: {listen: x}",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "config.yaml")
	known := []string{"max-streams", "listen", "token"}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		entries, problems := readFile(path, known, map[string]string{"data": "up"})
		for _, p := range problems {
			if !strings.Contains(p.err.Error(), path) {
				t.Errorf("%q: the error does not name the file: %v", text, p)
			}
		}
		for name, e := range entries {
			if !slices.Contains(known, name) || e.line < 1 {
				t.Errorf("%q: %s in line %d", text, name, e.line)
			}
			switch value := e.value.(type) {
			case nil:
				if len(problems) == 0 {
					t.Errorf("%q: %s has no value", text, name)
				}
			case string:
			case []any:
				for _, v := range value {
					if _, is := v.(string); !is {
						t.Errorf("%q: %s has a %T", text, name, v)
					}
				}
			default:
				t.Errorf("%q: %s is a %T", text, name, value)
			}
		}
	})
}
