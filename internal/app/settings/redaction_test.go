package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The flags choose the rules, and refuse what they cannot apply.
func TestRedactFlags(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("rules: [{id: acme-key, keywords: [acme_], pattern: '[a-z]{8}'}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOME_SECRET", "hunter2hunter2")
	text := "acme_abcdefgh jane@example.org hunter2hunter2 Bearer 0123456789abcdefABCDEF"
	for _, tc := range []struct {
		flags Redaction
		want  string
	}{
		{Redaction{}, "acme_abcdefgh jane@example.org hunter2hunter2 Bearer [redacted:authorization#1]"},
		{Redaction{NoRedact: true}, text},
		{Redaction{RedactRule: []string{rules, "email"}, SecretEnv: []string{"SOME_SECRET"}},
			"[redacted:acme-key#1] [redacted:email#1] [redacted:some-secret#1] Bearer [redacted:authorization#1]"},
	} {
		e, err := tc.flags.Engine()
		if err != nil {
			t.Fatal(err)
		}
		got := text
		if e.Enabled() {
			got = e.NewMasker().Text(text)
		}
		if got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.flags, got, tc.want)
		}
	}
	for want, f := range map[string]Redaction{
		"--no-redact":         {NoRedact: true, SecretEnv: []string{"SOME_SECRET"}},
		"NOT_SET":             {SecretEnv: []string{"NOT_SET"}},
		"--redact-rule /none": {RedactRule: []string{"/none"}},
	} {
		if _, err := f.Engine(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
