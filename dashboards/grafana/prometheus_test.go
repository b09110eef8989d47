package grafana

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tapedeck/internal/fulltest"
)

const (
	scrapes  = 8 // 15 s apart by Prometheus's clock
	instance = "a:4600"
)

var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)

// scraped is what a server reports, by series: a value for each scrape, "_" where it had none.
type scraped map[string][]string

func (s scraped) scrape(t *testing.T, n int, address string) {
	t.Helper()
	_, text := request(t, "GET", address+"/metrics", "", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no sample: %q", line)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("no number: %q", line)
		}
		labels := strings.TrimSuffix(`instance="`+instance+`",job="tapedeck",`+m[2], ",")
		series := m[1] + "{" + labels + "}"
		for len(s[series]) < n {
			s[series] = append(s[series], "_")
		}
		s[series] = append(s[series], strconv.FormatFloat(v, 'f', -1, 64))
	}
}

// has reports whether there is a series of a metric.
func (s scraped) has(metric string) bool {
	for series := range s {
		if strings.HasPrefix(series, metric+"{") {
			return true
		}
	}
	return false
}

// Every PromQL query of every dashboard has an answer that is a number, by Prometheus itself, from
// what a server reports while it records and plays, for all values of the variables and for single
// ones. promtool is Prometheus's engine and its storage.
func TestPromQL(t *testing.T) {
	if !fulltest.Wanted() {
		t.Skip("skipped: promtool takes minutes to compile; " + fulltest.Env + "=1 runs it")
	}
	address, found := startServer(t), scraped{}
	for n := range scrapes {
		work(t, address, n)
		found.scrape(t, n, address)
	}
	type input struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	}
	type expected struct {
		Labels string  `yaml:"labels"`
		Value  float64 `yaml:"value"`
	}
	type asked struct {
		Expr    string     `yaml:"expr"`
		Time    string     `yaml:"eval_time"`
		Samples []expected `yaml:"exp_samples"`
	}
	var inputs []input
	for series, values := range found {
		inputs = append(inputs, input{series, strings.Join(values, " ")})
	}
	slices.SortFunc(inputs, func(a, b input) int { return strings.Compare(a.Series, b.Series) })
	var list []asked
	f := read(t, "pipeline.json")
	for _, v := range f.Templating.List {
		query, is := v.Query.(map[string]any)
		if !is {
			continue
		}
		m := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(fmt.Sprint(query["query"]))
		if m == nil {
			t.Fatalf("the query of %s is %v", v.Name, query)
		}
		list = append(list, asked{Expr: fmt.Sprintf(`count(count by (%s) (%s{%[1]s!=""})) > bool 0`, m[2], m[1])})
	}
	for _, p := range f.Panels {
		for _, target := range p.Targets {
			for _, tenants := range []string{".*", "default"} {
				for _, servers := range []string{".*", instance} {
					expr := strings.NewReplacer("$__rate_interval", "1m", "$tenant", tenants, "$instance", servers).Replace(target.Expr)
					// A comparison leaves out what is not a number.
					list = append(list, asked{Expr: "count((" + expr + ") >= -Inf) > bool 0"})
				}
			}
		}
	}
	list = append(list, asked{Expr: "count(tapedeck_nothing) or vector(1)"}) // a count of nothing has no value
	for i := range list {
		list[i].Time, list[i].Samples = fmt.Sprintf("%ds", (scrapes-1)*15), []expected{{"{}", 1}}
	}
	if len(list) < 150 {
		t.Errorf("%d expressions", len(list))
	}
	rules, err := filepath.Abs("../../deploy/prometheus/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	// The rules are evaluated over the same data: promtool fails if one of them does.
	text, err := yaml.Marshal(map[string]any{
		"rule_files": []string{rules}, "evaluation_interval": "15s",
		"tests": []any{map[string]any{"interval": "15s", "input_series": inputs, "promql_expr_test": list}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tests.yml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools/promtool.mod", "promtool", "test", "rules", path)
	cmd.Env = append(os.Environ(), "GOFLAGS=-tags=remove_all_sd")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
	rulesRead(t, rules, found)
}

// onEvents are metrics of rules that a server reports from the first event on that they count, or
// once it has TLS.
var onEvents = regexp.MustCompile(`^tapedeck_(certificate_expiry_timestamp_seconds|certificate_reload_errors_total|limit_refused_total|query_limits_total|tokens_refused_total|audit_lost_total|bills_closed_total)$`)

// rulesRead checks that what the rules read is reported.
func rulesRead(t *testing.T, path string, found scraped) {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	parse(t, path, &file)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			for _, name := range regexp.MustCompile(`\b(tapedeck|process)_[a-z0-9_]+`).FindAllString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(r.Expr, ""), -1) {
				if !found.has(name) && !onEvents.MatchString(name) {
					t.Errorf("%s reads %s, which the server does not report", r.Alert, name)
				}
			}
		}
	}
}
