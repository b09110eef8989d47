package prometheus

import (
	"regexp"
	"strings"
	"testing"
)

// grepped is a pattern by which a command of the runbook looks for metrics.
var grepped = regexp.MustCompile(`/metrics" \| grep (?:-E )?'([^']+)'`)

// alternatives returns the alternatives of a pattern such as ^(a|b_(c|d)): a and b_(c|d).
func alternatives(pattern string) (list []string) {
	inner, is := strings.CutPrefix(pattern, "^(")
	if !is || !strings.HasSuffix(inner, ")") {
		return []string{strings.TrimPrefix(pattern, "^")}
	}
	inner = strings.TrimSuffix(inner, ")")
	depth, from := 0, 0
	for i, c := range inner {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			list, from = append(list, inner[from:i]), i+1
		}
	}
	return append(list, inner[from:])
}

// checkRunbook checks that each pattern of the runbook, and each of its alternatives, finds a series
// of a server, here or in another test, and that each metric in its text is one that a server reports.
func checkRunbook(t *testing.T, well, bad scraped) {
	t.Helper()
	page, elsewhere := read(t, "../../docs/operate/runbook.md"), movedByTests(t)
	found := func(of, pattern string) {
		t.Helper()
		name, err := regexp.Compile("^" + pattern)
		switch {
		case err != nil:
			t.Errorf("the runbook, %s: %v", of, err)
		case !well.matches(name) && !bad.matches(name) && !anyMatches(elsewhere, name):
			t.Errorf("the runbook, %s: no server reports what matches %s", of, pattern)
		}
	}
	commands := grepped.FindAllStringSubmatch(page, -1)
	if n := strings.Count(page, `/metrics"`); n != len(commands) || n < 30 {
		t.Errorf("%d of %d commands have a pattern", len(commands), n)
	}
	for _, m := range commands {
		for _, alternative := range alternatives(m[1]) {
			found(m[1], alternative)
		}
	}
	for _, name := range regexp.MustCompile("`(tapedeck_[a-z0-9_]+)").FindAllStringSubmatch(page, -1) {
		found("its text", name[1])
	}
}

func TestAlternatives(t *testing.T) {
	for pattern, want := range map[string]string{"^a_": "a_", "^(a|b_(c|d)|e)": "a b_(c|d) e", "^(a)": "a"} {
		if got := strings.Join(alternatives(pattern), " "); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
