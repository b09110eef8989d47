package tenants

import (
	"flag"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/node"
	"tapedeck/internal/fulltest"
)

// timings is how often each route is asked for each of the two cases; 0 leaves the clock out.
var timings = flag.Int("timings", 0, "compare the times of answers for things of another tenant and things that do not exist, by so many requests to each")

// timed selects the routes to measure.
var timed = flag.String("timed", "", "with -timings: a regular expression for the routes to measure, all if left out")

// absent are pairs of things of another tenant and things that do not exist, of one length.
var absent = [][2]string{
	{"only-" + beta, "only-nobMark"}, {"INV-000002", "INV-000009"}, {"key-" + beta + "shared", "key-nobMarkshared"}, {"model-" + beta, "model-nobMark"},
}

// pairs returns the paths of all routes about one thing, with that of another tenant and with
// one that does not exist.
func pairs() map[string][2]string {
	all := map[string][2]string{}
	for name, p := range probes {
		method, path, _ := strings.Cut(name, " ")
		if !isByID(path+p.query) || strings.HasPrefix(path, "/v1/ingest?") || method == "POST" && path == "/v1/ingest" ||
			strings.HasPrefix(path, "/v1/tokens/") || strings.HasPrefix(path, "/v1/dead-letters") || strings.HasPrefix(path, "/debug/") {
			continue // these are about no recorded thing, or not in ClickHouse
		}
		if strings.HasSuffix(path, "/prices") && strings.HasPrefix(path, "/v1/bills/") {
			continue // for administrators of all tenants
		}
		var both [2]string
		for i := range both {
			both[i] = strings.NewReplacer("{id}", absent[0][i], "{exec_id}", absent[0][i], "{number}", absent[1][i], "{key}", absent[2][i], "{model}", absent[3][i],
				"{provider}", "anthropic", "{position}", "0-0", "{kind}", "agents", "{path}", "v1/messages").Replace(path + p.query)
		}
		all[name] = both
	}
	return all
}

// For something of another tenant the same statements are executed, as often, as for something
// that does not exist. Other statements are of work in the background, so that only those count
// which all of several requests have in common.
func TestEqualStatements(t *testing.T) {
	fulltest.Long(t)
	r := newRig(t)
	r.fill(beta, 2)
	r.fill(alpha, 1)
	watcher, dsn := watchStatements(t, r.dsn)
	r.dsn = dsn
	r.first, r.tokens = r.serve(node.Roles{Ingest: true, API: true}, 0)
	token := r.token(tenantOf(alpha), access.Admin)
	var ids []string
	for _, pair := range absent {
		ids = append(ids, pair[0], pair[1])
	}
	asked := 0
	for name, paths := range pairs() {
		method, _, _ := strings.Cut(name, " ")
		p := probes[name]
		var executed [2][]string
		var codes [2]int
		equal := func() bool { return codes[0] == codes[1] && slices.Equal(executed[0], executed[1]) }
		// The first round fills caches. Where requests are slow, the same work in the background may run in two rounds.
		for round := 0; round < 3 || round < 10 && !equal(); round++ {
			for i, path := range paths {
				watcher.take()
				codes[i] = r.request(token, method, path, p.media, p.body).code
				list := slices.DeleteFunc(watcher.take(ids...), loadsDeletions)
				switch round {
				case 0:
				case 1:
					executed[i] = list
				default:
					executed[i] = common(executed[i], list)
				}
			}
		}
		asked += len(executed[0])
		if !equal() {
			t.Errorf("%s of another tenant (%d) and of nobody (%d):\n%s\n\n%s", name, codes[0], codes[1], strings.Join(executed[0], "\n"), strings.Join(executed[1], "\n"))
		}
	}
	if asked < 20 {
		t.Errorf("%d statements were seen only", asked)
	}
	t.Logf("%d routes, %d statements", len(pairs()), asked)
}

// loadsDeletions reports whether a statement loads what was deleted or restored since the last load. The
// first request after a second does that, whichever it is about.
func loadsDeletions(statement string) bool {
	return strings.Contains(statement, "{since:DateTime64") &&
		(strings.Contains(statement, "FROM tombstones FINAL") || strings.Contains(statement, "FROM restores FINAL"))
}

// TestEqualTimes measures; it runs with -timings only, on a machine that does nothing else.
func TestEqualTimes(t *testing.T) {
	if *timings == 0 {
		t.Skip("it measures: run it with -args -timings 1000")
	}
	r := newRig(t)
	r.fill(beta, 2)
	r.fill(alpha, 1)
	token := r.token(tenantOf(alpha), access.Admin)
	which := regexp.MustCompile(*timed)
	for name, paths := range pairs() {
		if !which.MatchString(name) {
			continue
		}
		method, _, _ := strings.Cut(name, " ")
		p := probes[name]
		var took [2][]float64
		for n := range *timings {
			first := rand.IntN(2)
			for _, i := range []int{first, 1 - first} {
				began := time.Now()
				r.request(token, method, paths[i], p.media, p.body)
				if n >= *timings/10 { // the rest warms up
					took[i] = append(took[i], time.Since(began).Seconds()*1e6)
				}
			}
		}
		z := rankSum(took[0], took[1])
		t.Logf("%-48s another tenant's %7.0f µs, nobody's %7.0f µs (medians), z %+.2f", name, median(took[0]), median(took[1]), z)
		if math.Abs(z) > 3.9 { // p < 0.0001
			t.Errorf("%s: the times differ", name)
		}
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// rankSum returns the standard score of the Mann-Whitney U test.
func rankSum(a, b []float64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	ranks := 0.0
	for _, x := range a {
		low, _ := slices.BinarySearch(all, x)
		high, _ := slices.BinarySearch(all, math.Nextafter(x, math.Inf(1)))
		ranks += float64(low+high+1) / 2
	}
	n, m := float64(len(a)), float64(len(b))
	u := ranks - n*(n+1)/2
	return (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}
