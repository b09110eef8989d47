package redact

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of rules is refused with an error, or its rules can be used.
func FuzzRules(f *testing.F) {
	for _, seed := range []string{
		"rules:\n  - {id: acme-key, keywords: [acme_], pattern: \"[a-z0-9]{32}\"}\n  - {id: tool-password, path: input.password}\n",
		"", "rules: []", "rules:\n  - {id: A, path: x}", "rules:\n  - {id: a, path: x, pattern: y}", "rules:\n  - {id: a, keywords: [a], pattern: \"(\"}",
		"rules:\n  - {id: a, keywords: [\"\"], pattern: \".*\"}", "rules:\n  - {id: a, pattern: \"a{1000}{1000}\"}", "a: &a [*a]", "rules: &r\n  - *r", "\xff", "unknown: 1",
		"rules:\n  - {id: a, path: \"..\"}", "rules:\n  - {id: a, path: x}\n  - {id: a, path: y}",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "rules.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		own, err := ReadFile(path)
		if err != nil {
			return
		}
		if len(own.Rules)+len(own.Paths) == 0 {
			t.Errorf("%q: no rule and no error", data)
		}
		for _, r := range own.Rules {
			if !named.MatchString(r.ID) || r.Pattern == "" {
				t.Errorf("%q: %+v", data, r)
			}
		}
	})
}
