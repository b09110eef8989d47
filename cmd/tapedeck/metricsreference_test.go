package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tapedeck/internal/metric"
)

var update = flag.Bool("write-reference", false, "write the pages of reference anew")

// checkPage compares a page of reference with what the program declares, and with -write-reference writes it.
func checkPage(t *testing.T, page, want string) {
	t.Helper()
	path := filepath.Join("../../docs/reference", page)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: run make reference", path)
	}
}

// docs/reference/metrics.md has every metric of the program.
func TestMetricsReference(t *testing.T) {
	checkPage(t, "metrics.md", metric.Reference(metric.All()))
}

var (
	unitsInHelp = regexp.MustCompile(`\bms\b|milliseconds|\bKiB\b|\bMiB\b`)
	metricName  = regexp.MustCompile(`^tapedeck_[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// Names, units and help texts keep to the conventions of Prometheus.
func TestMetricConventions(t *testing.T) {
	for _, d := range metric.All() {
		counts := strings.HasSuffix(d.Name, "_total")
		switch {
		case !metricName.MatchString(d.Name):
			t.Errorf("%s is no name of a metric", d.Name)
		case counts != (d.Kind == metric.CounterKind):
			t.Errorf("%s is a %s", d.Name, d.Kind)
		case d.Kind == metric.HistogramKind && d.Unit() == "" && !strings.HasSuffix(d.Name, "_frames"):
			t.Errorf("%s has no unit", d.Name)
		case !strings.HasSuffix(d.Help, ".") || unitsInHelp.MatchString(d.Help):
			t.Errorf("%s: the help text %q is no sentence, or has a unit that is not a base unit", d.Name, d.Help)
		}
		for _, l := range d.Labels {
			if l == "session" || l == "stream" || l == "path" || l == "le" || l == "quantile" {
				t.Errorf("%s has the label %s, which is reserved or not bounded", d.Name, l)
			}
		}
	}
}

var inDocs = regexp.MustCompile(`tapedeck_[a-z][a-z0-9_]+`)

// notMetrics begin with tapedeck_ and are something else: names of files.
var notMetrics = map[string]bool{"tapedeck_test": true}

// Every metric that a page or a file of rules names exists.
func TestMetricsInDocsExist(t *testing.T) {
	known := map[string]bool{}
	for _, d := range metric.All() {
		known[d.Name] = true
	}
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md", "../../deploy/prometheus/*.yml", "../../dashboards/grafana/*.json", "../../dashboards/grafana/*/*.json"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(page, "CHANGELOG.md") { // names of the past
			continue
		}
		for _, name := range inDocs.FindAllString(string(text), -1) {
			base := name
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if b, is := strings.CutSuffix(name, suffix); is && known[b] {
					base = b
				}
			}
			named++
			if prefix, is := strings.CutSuffix(name, "_"); is && begins(known, prefix) { // of several, in a command
				continue
			}
			if !known[base] && !notMetrics[base] {
				t.Errorf("%s names %s, which is no metric", page, name)
			}
		}
	}
	if named < 150 {
		t.Errorf("%d metrics are named, want 150 at least", named)
	}
}

// begins reports whether a metric has a prefix.
func begins(known map[string]bool, prefix string) bool {
	for name := range known {
		if name == prefix || strings.HasPrefix(name, prefix+"_") {
			return true
		}
	}
	return false
}
