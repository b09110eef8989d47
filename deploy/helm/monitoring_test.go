package helm

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// checkMonitoring checks that the monitor selects one service of each role, and its token exists.
func checkMonitoring(t *testing.T, r *result) {
	for _, m := range r.of("ServiceMonitor") {
		var scraped []string
		for _, s := range r.of("Service") {
			if !m.selects(t).in(s.Metadata.Labels) {
				continue
			}
			scraped = append(scraped, s.role())
			for _, e := range m.Spec.Endpoints {
				if e.Scheme != e.Port || !slices.ContainsFunc(s.Spec.Ports, func(p servicePort) bool { return p.Name == e.Port }) {
					t.Errorf("Service %s has no port %s by %s", s.Metadata.Name, e.Port, e.Scheme)
				}
			}
		}
		if slices.Sort(scraped); !slices.Equal(scraped, []string{"api", "ingest", "sink"}) {
			t.Errorf("the monitor selects the services of %v", scraped)
		}
		for _, e := range m.Spec.Endpoints {
			if len(e.Relabelings) != 1 || e.Relabelings[0].TargetLabel != "job" || e.Relabelings[0].Replacement != "tapedeck" {
				t.Errorf("the job is not the one of the alert rules: %+v", e.Relabelings)
			}
			checkExists(t, r, e.Authorization.Credentials.Name, e.Authorization.Credentials.Key, false)
		}
	}
	for _, rule := range r.of("PrometheusRule") {
		file, err := os.ReadFile("../prometheus/rules.yml")
		if err != nil {
			t.Fatal(err)
		}
		if shipped, err := os.ReadFile("tapedeck/rules/tapedeck.yml"); err != nil || !bytes.Equal(shipped, file) {
			t.Errorf("the chart's rules are others (%v): copy deploy/prometheus/rules.yml to deploy/helm/tapedeck/rules/tapedeck.yml", err)
		}
		var groups []any
		if err := json.Unmarshal(rule.Spec.Groups, &groups); err != nil {
			t.Fatal(err)
		}
		want := strings.Count(string(file), "- alert:") + strings.Count(string(file), "- record:")
		if got := countRules(groups); got != want || want == 0 {
			t.Errorf("%d rules, %d in the file", got, want)
		}
		if labels := "{{ $labels.instance }}"; !strings.Contains(string(rule.Spec.Groups), labels) {
			t.Errorf("no rule has %s: the templates of alerts were rendered by Helm", labels)
		}
	}
	for _, name := range []string{"monitoring", "full"} {
		if strings.HasSuffix(r.Values, "/"+name+".yaml") && len(r.of("PrometheusRule"))+len(r.of("ServiceMonitor")) != 2 {
			t.Errorf("%d rules, %d monitors", len(r.of("PrometheusRule")), len(r.of("ServiceMonitor")))
		}
	}
}

// countRules counts the rules of groups.
func countRules(groups []any) (n int) {
	for _, g := range groups {
		rules, _ := g.(map[string]any)["rules"].([]any)
		n += len(rules)
	}
	return n
}
