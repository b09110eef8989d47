// Package prometheus tests the alert rules in rules.yml.
package prometheus

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type rule struct {
	Alert, Record, Expr, For string
	Labels                   map[string]string
	Annotations              map[string]string
}

func readRules(t *testing.T) (rules []rule) {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
	parse(t, "rules.yml", &file)
	for _, g := range file.Groups {
		rules = append(rules, g.Rules...)
	}
	if len(rules) < 40 {
		t.Fatalf("%d rules", len(rules))
	}
	return rules
}

func parse(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var heading = regexp.MustCompile(`(?m)^## (\w+)$`)

// sections returns the sections of the runbook by their titles.
func sections(t *testing.T) map[string]string {
	t.Helper()
	page, all := read(t, "../../docs/operate/runbook.md"), map[string]string{}
	at := heading.FindAllStringSubmatchIndex(page, -1)
	for i, m := range at {
		end := len(page)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		all[page[m[2]:m[3]]] = page[m[1]:end]
	}
	return all
}

// Each alert has a severity and a summary, and has a section in the runbook with what
// it means, what to look at and what to do; no section is without an alert.
func TestAlertsAndRunbook(t *testing.T) {
	pages := sections(t)
	delete(pages, "First")
	for _, r := range readRules(t) {
		if r.Alert == "" {
			continue
		}
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has the severity %q", r.Alert, s)
		}
		if r.For == "" || r.Annotations["summary"] == "" || !strings.HasSuffix(r.Annotations["description"], ".") {
			t.Errorf("%s lacks a duration, summary or description", r.Alert)
		}
		if want := "docs/operate/runbook.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s leads to %q, want %q", r.Alert, r.Annotations["runbook_url"], want)
		}
		page, there := pages[r.Alert]
		for _, part := range []string{"**Means.** ", "**Look at.**", "**Do.** "} {
			if !there || !strings.Contains(page, part) {
				t.Errorf("the runbook has no %s for %s", part, r.Alert)
			}
		}
		delete(pages, r.Alert)
	}
	for name := range pages {
		t.Errorf("the runbook has a section %s and there is no such alert", name)
	}
}

var anchor = regexp.MustCompile(`\]\(#(\w+)\)`)

// Links within the runbook lead to its sections.
func TestRunbookLinks(t *testing.T) {
	known := map[string]bool{}
	pages := sections(t)
	for name := range pages {
		known[strings.ToLower(name)] = true
	}
	for name, page := range pages {
		for _, m := range anchor.FindAllStringSubmatch(page, -1) {
			if !known[m[1]] {
				t.Errorf("%s links to #%s", name, m[1])
			}
		}
	}
}

var (
	series   = regexp.MustCompile(`\b(tapedeck_[a-z0-9_]+|up|process_[a-z_]+)\b`)
	selector = regexp.MustCompile(`\b(tapedeck_[a-z0-9_]+)\{([^}]*)\}`)
	label    = regexp.MustCompile(`(\w+)(?:=|!=|=~|!~)"`)
	inTable  = regexp.MustCompile("(?m)^\\| `(tapedeck_[a-z0-9_]+)` \\| (\\w+) \\| [^|]* \\| ([^|]*) \\|")
)

// Each metric and label in a rule is in the reference of metrics, which another test compares with
// the program.
func TestRulesUseMetricsThatExist(t *testing.T) {
	known := map[string]string{"up": "", "process_start_time_seconds": "", "process_resident_memory_bytes": ""}
	for _, m := range inTable.FindAllStringSubmatch(read(t, "../../docs/reference/metrics.md"), -1) {
		known[m[1]] = m[3]
		if m[2] == "histogram" {
			known[m[1]+"_count"], known[m[1]+"_sum"], known[m[1]+"_bucket"] = m[3], m[3], m[3]+"`le`"
		}
	}
	for _, r := range readRules(t) {
		quoted := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(r.Expr, `""`)
		for _, m := range series.FindAllString(quoted, -1) {
			if _, is := known[m]; !is {
				t.Errorf("%s%s reads %s, which is no metric", r.Alert, r.Record, m)
			}
		}
		for _, m := range selector.FindAllStringSubmatch(quoted, -1) {
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if !strings.Contains(known[m[1]], "`"+l[1]+"`") {
					t.Errorf("%s%s selects %s of %s, which has no such label", r.Alert, r.Record, l[1], m[1])
				}
			}
		}
	}
}

// testFiles lists the files of unit tests.
func testFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files
}

// Each alert has a unit test in which it fires and one in which it does not.
func TestAlertsHaveTests(t *testing.T) {
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, path := range testFiles(t) {
		var file struct {
			Tests []struct {
				AlertRuleTest []struct {
					Alertname string
					ExpAlerts []any `yaml:"exp_alerts"`
				} `yaml:"alert_rule_test"`
			}
		}
		parse(t, path, &file)
		for _, test := range file.Tests {
			for _, a := range test.AlertRuleTest {
				if len(a.ExpAlerts) > 0 {
					fires[a.Alertname] = true
				} else {
					silent[a.Alertname] = true
				}
			}
		}
	}
	for _, r := range readRules(t) {
		if r.Alert != "" && (!fires[r.Alert] || !silent[r.Alert]) {
			t.Errorf("%s: a test in which it fires: %t, and one in which it does not: %t", r.Alert, fires[r.Alert], silent[r.Alert])
		}
	}
}
