package redact

import (
	"regexp"
	"strings"
	"testing"

	"tapedeck/ingest/redact/redacttest"
)

// example puts an example together.
func example(s string, seed uint64) string { return redacttest.Text(s, seed) }

func allRules() []Rule {
	return append(Rules(), personal...)
}

// engineOf returns the engine that a rule belongs to.
func engineOf(t testing.TB, r *Rule) *Engine {
	t.Helper()
	for i := range personal {
		if personal[i].ID == r.ID {
			e, err := New(Options{Personal: []string{r.ID}})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
	}
	return Default()
}

// secretOf returns the part of an example that must not be recorded, and which rule
// it is of, by package regexp rather than by the code under test.
func secretOf(t testing.TB, r *Rule, whole string) string {
	t.Helper()
	first, secret := len(whole), ""
	for _, key := range r.Keywords {
		re := regexp.MustCompile(regexp.QuoteMeta(key) + r.Pattern)
		if at := re.FindStringSubmatchIndex(whole + "\n"); at != nil && at[0] < first {
			first = at[0]
			for ; len(at) > 2 && at[2] < 0; at = at[2:] { // the first group that matched, if there are any
			}
			if len(at) > 2 {
				at = at[2:]
			}
			secret = whole[at[0]:at[1]]
		}
	}
	if secret != "" {
		return secret
	}
	t.Fatalf("%s: regexp finds no secret in %q", r.ID, whole)
	return ""
}

// Every example is masked by the rule that it is of, and nothing around it; no near miss is.
func TestExamples(t *testing.T) {
	if len(providers) < 60 {
		t.Errorf("%d rules of providers", len(providers))
	}
	seen := map[string]bool{}
	for _, r := range allRules() {
		if seen[r.ID] || r.Source == "" || r.Example == "" || r.Near == "" {
			t.Errorf("%s: its id is not unique, or it has no source, example or near miss", r.ID)
		}
		seen[r.ID] = true
		e := engineOf(t, &r)
		text := example(r.Example, 7)
		secret := secretOf(t, &r, text)
		for _, around := range []string{"%", "see % now", `"%"`, "a=%\n", "(%)"} {
			in := strings.Replace(around, "%", text, 1)
			want := strings.Replace(in, secret, "[redacted:"+r.ID+"#1]", 1)
			if got := e.NewMasker().Text(in); got != want {
				t.Errorf("%s: %q became %q, want %q", r.ID, in, got, want)
			}
		}
		near := example(r.Near, 7)
		if got := e.NewMasker().Text("(" + near + ")"); strings.Contains(got, "redacted:"+r.ID) {
			t.Errorf("%s: the near miss %q became %q", r.ID, near, got)
		}
	}
}
