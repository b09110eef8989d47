package prometheus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// onFaults are selectors of rules whose series exist only where something is set up or has failed.
// The faulty server has them.
var onFaults = map[string]string{
	`tapedeck_http_requests_total{code=~"5..",route!="/readyz"}`: "a request was answered with 5xx",
	`tapedeck:http_errors:ratio_rate5m`:                          "a request was answered with 5xx",
	`tapedeck_certificate_expiry_timestamp_seconds`:              "the server has TLS",
	`tapedeck_certificate_reload_errors_total`:                   "the server has TLS",
	`tapedeck_limit_refused_total`:                               "a tenant reached a limit",
	`tapedeck_query_statement_seconds_count{outcome="error"}`:    "a statement failed",
}

// fires are the alerts whose expressions hold for the faulty server.
var fires = []string{
	"TapedeckCertificateExpires", "TapedeckCertificateUnusable", "TapedeckTenantLimited", "TapedeckQueryLimits",
	"TapedeckQueryErrors", "TapedeckHTTPErrors", "TapedeckCredentialsRefused",
}

// ofMachine are the alerts that the machine of the test may cause.
var ofMachine = map[string]bool{
	"TapedeckMemory": true, "TapedeckDiskFull": true, "TapedeckClickHouseDiskFull": true, "TapedeckClickHouseSlow": true,
	"TapedeckPlaybacksLate": true, "TapedeckHTTPSlow": true,
}

// suite is a unit test of Prometheus over scrapes of one server: each expression is 1.
type suite struct {
	Interval string   `yaml:"interval"`
	Start    string   `yaml:"start_timestamp"`
	Series   []input  `yaml:"input_series"`
	Asked    []*asked `yaml:"promql_expr_test"`
}

type asked struct {
	Expr    string     `yaml:"expr"`
	Time    string     `yaml:"eval_time"`
	Samples []expected `yaml:"exp_samples"`
}

type expected struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}

func newSuite(began time.Time, s scraped) *suite {
	return &suite{Interval: "15s", Start: began.UTC().Format(time.RFC3339), Series: s.inputs()}
}

// one asserts that an expression is 1; of names the rule or panel that has it.
func (s *suite) one(of, expr string) {
	s.Asked = append(s.Asked, &asked{expr + " # " + of, fmt.Sprintf("%ds", (scrapes-1)*15), []expected{{"{}", 1}}})
}

func (s *suite) any(of, expr string) { s.one(of, "count("+expr+") > bool 0") }

// none asks that an expression is empty in the last four scrapes, or in some of them: a machine that
// is paused may cause it for a moment.
func (s *suite) none(of, expr string) {
	s.one(of, "min_over_time((count("+expr+") or vector(0))[50s:15s]) == bool 0")
}

// testScrapes evaluates, over scrapes of a server that records and plays and of one with faults:
//   - the selectors of each rule, which select something, by name and labels;
//   - each rule as a whole, which has a value, whether its comparisons hold or not;
//   - each alert, which does not fire while all is well, and which fires by the fault that is forced;
//   - the queries of the dashboards, for all values of their variables and for single ones.
func testScrapes(t *testing.T, tool rulestest) {
	began, well, bad := time.Now(), scraped{}, scraped{}
	healthy, faults := start(t, nil), startFaulty(t)
	for n := range scrapes {
		healthy.work(t, n)
		well.scrape(t, n, healthy)
		if n > 0 {
			faults.fail(t, n)
		}
		bad.scrape(t, n, faults.server)
	}
	ofHealthy, ofFaulty := newSuite(began, well), newSuite(began, bad)
	askRules(t, tool, ofHealthy, ofFaulty)
	askDashboard(t, ofHealthy)
	ofHealthy.any("itself", "vector(1)")
	ofHealthy.none("itself", "tapedeck_nothing")
	if len(ofHealthy.Asked) < 250 || len(ofFaulty.Asked) < 15 {
		t.Errorf("%d and %d expressions", len(ofHealthy.Asked), len(ofFaulty.Asked))
	}
	rules, err := filepath.Abs("rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(map[string]any{"rule_files": []string{rules}, "evaluation_interval": "15s", "tests": []*suite{ofHealthy, ofFaulty}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tests.yml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	tool.run(t, nil, "test", path)
	checkRunbook(t, well, bad)
	checkMoved(t, well, bad)
}

// askRules asks for what rules read.
func askRules(t *testing.T, tool rulestest, healthy, faulty *suite) {
	t.Helper()
	list, used, firing := readRules(t), map[string]bool{}, map[string]bool{}
	for _, name := range fires {
		firing[name] = true
	}
	for i, of := range tool.parse(t, list) {
		r, on := list[i], healthy
		name := r.Alert + r.Record
		for _, s := range of.Selectors {
			at := healthy
			if onFaults[s.Text] != "" {
				used[s.Text], at, on = true, faulty, faulty
			}
			if s.Range != "" { // of which rate and increase need two values
				at.any(name, "count_over_time("+s.Text+"["+s.Range+"]) > 1")
				continue
			}
			at.any(name, s.Text)
		}
		if !strings.Contains(r.Expr, "absent(") { // which is empty while there are series
			on.any(name, of.Compared)
		}
		if r.Alert != "" && !ofMachine[r.Alert] {
			healthy.none(name, strings.TrimSpace(r.Expr))
		}
		if firing[r.Alert] {
			faulty.any(name, strings.TrimSpace(r.Expr))
			delete(firing, r.Alert)
		}
	}
	for text := range onFaults {
		if !used[text] {
			t.Errorf("no rule has the selector %s", text)
		}
	}
	for name := range firing {
		t.Errorf("no alert is called %s", name)
	}
}

var labelValues = regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`)

// askDashboard evaluates the expressions of the dashboard of the pipeline.
func askDashboard(t *testing.T, s *suite) {
	t.Helper()
	var f struct {
		Templating struct {
			List []struct {
				Name  string
				Query any
			}
		}
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	const path = "../../dashboards/grafana/pipeline.json"
	if err := json.Unmarshal([]byte(read(t, path)), &f); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, v := range f.Templating.List {
		query, is := v.Query.(map[string]any)
		if !is {
			continue
		}
		m := labelValues.FindStringSubmatch(fmt.Sprint(query["query"]))
		if m == nil {
			t.Fatalf("the query of %s is %v", v.Name, query)
		}
		s.any(v.Name, fmt.Sprintf(`count by (%s) (%s{%[1]s!=""})`, m[2], m[1]))
	}
	for _, p := range f.Panels {
		for _, target := range p.Targets {
			for _, tenants := range []string{".*", "default"} {
				for _, servers := range []string{".*", instance} {
					expr := strings.NewReplacer("$__rate_interval", "1m", "$tenant", tenants, "$instance", servers).Replace(target.Expr)
					s.any(p.Title, "("+expr+") >= -Inf") // which leaves out NaN
				}
			}
		}
	}
}
