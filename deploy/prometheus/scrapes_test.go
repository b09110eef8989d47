package prometheus

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	scrapes  = 8 // 15 s apart by Prometheus's clock
	instance = "a:4600"
)

var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)

// scraped holds the samples of a server, by series: a value for each scrape, "_" where it had none.
type scraped map[string][]string

func (s scraped) scrape(t *testing.T, n int, from *server) {
	t.Helper()
	code, text := from.ask(t, "GET", "/metrics", "", nil)
	if code != http.StatusOK {
		t.Fatalf("/metrics: %d %s", code, text)
	}
	s.add(n, "up", "", 1) // by Prometheus
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
		s.add(n, m[1], m[2], v)
	}
}

func (s scraped) add(n int, metric, labels string, v float64) {
	series := metric + "{" + strings.TrimSuffix(`instance="`+instance+`",job="tapedeck",`+labels, ",") + "}"
	for len(s[series]) < n {
		s[series] = append(s[series], "_")
	}
	s[series] = append(s[series], strconv.FormatFloat(v, 'f', -1, 64))
}

// input is a series of a unit test of Prometheus.
type input struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

func (s scraped) inputs() (list []input) {
	for series, values := range s {
		list = append(list, input{series, strings.Join(values, " ")})
	}
	slices.SortFunc(list, func(a, b input) int { return strings.Compare(a.Series, b.Series) })
	return list
}

// matches reports whether the names of any series match.
func (s scraped) matches(name *regexp.Regexp) bool {
	for series := range s {
		if name.MatchString(series) {
			return true
		}
	}
	return false
}

// moves reports whether any series of a metric is other than 0 at the end.
func (s scraped) moves(metric string) bool {
	for series, values := range s {
		name, _, _ := strings.Cut(series, "{")
		if (name == metric || name == metric+"_count") && values[len(values)-1] != "0" {
			return true
		}
	}
	return false
}
