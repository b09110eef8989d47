package metric

import (
	"cmp"
	"fmt"
	"strings"
)

// areas are the sections of the reference, by the word after tapedeck_ in the names.
var areas = []struct {
	title string
	words []string
}{
	{"Server", []string{"build", "ready", "check", "memory", "certificate", "log"}},
	{"HTTP", []string{"http", "slow", "tokens", "audit", "trace"}},
	{"Recording", []string{"ingest", "upload", "redacted", "recorders", "proxy"}},
	{"Spool and JetStream", []string{"spool", "disk", "publish", "jetstream"}},
	{"Sink and ClickHouse", []string{"sink", "dead", "clickhouse", "settled", "settle", "unsettled"}},
	{"Replay and queries", []string{"replay", "emulate", "reader", "readers", "query", "search"}},
	{"Limits", []string{"open", "limit"}},
	{"Bills, retention, erasure and backup", []string{"bill", "bills", "retention", "expired", "erasure", "erasures", "deleted", "backup"}},
	{"Other", nil},
}

// Reference returns the page docs/reference/metrics.md.
func Reference(all []Definition) string {
	rows := make([][]string, len(areas))
	for _, d := range all {
		i := areaOf(d.Name)
		labels := "–"
		if len(d.Labels) > 0 {
			labels = "`" + strings.Join(d.Labels, "`, `") + "`"
		}
		rows[i] = append(rows[i], fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s |",
			d.Name, d.Kind, cmp.Or(d.Unit(), "–"), labels, d.Role, strings.ReplaceAll(d.Help, "|", `\|`)))
	}
	var b strings.Builder
	b.WriteString(head)
	for i, area := range areas {
		if len(rows[i]) > 0 {
			fmt.Fprintf(&b, "\n## %s\n| metric | type | unit | labels | role | meaning "+
				"|\n|---|---|---|---|---|---|\n%s\n", area.title, strings.Join(rows[i], "\n"))
		}
	}
	return b.String()
}

// areaOf returns the index in areas of a metric's section.
func areaOf(name string) int {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, "tapedeck_"), "_")
	for i, area := range areas {
		for _, w := range area.words {
			if w == word {
				return i
			}
		}
	}
	return len(areas) - 1
}

const head = `# Metrics
<!-- Generated from the declarations of metrics by make reference -->

Every server answers ` + "`GET /metrics`" + ` in Prometheus's text format; with ` + "`--tokens`" + ` it needs a token of all tenants with the scope ` + "`admin`" + `
(` + "`authorization`" + ` in Prometheus's scrape configuration). This page lists the metrics of the program; the metrics of Go and of the process
(` + "`go_…`, `process_…`" + `) come beside them. Alert rules that use them are in ` + "`deploy/prometheus/rules.yml`" + `, and the [runbook](../operate/runbook.md) says
what to do about each.

**role** names the processes in which a metric counts: ` + "`any`" + ` server, ` + "`tapedeck serve`" + ` with a role, ` + "`tapedeck up`" + `, which has all roles, or
` + "`tapedeck proxy --metrics`" + `. Others report 0 or leave it out. What every process reads from the same JetStream or ClickHouse is the
same in all of them: take the maximum. Histograms have the usual ` + "`_bucket`, `_sum` and `_count`" + `. Labels have a bounded number of values: ` + "`route`" + ` is
the pattern of a route, ` + "`tenant`" + ` the name of one of the first 100 tenants that are counted and ` + "`other`" + ` for the rest, ` + "`statement`" + ` a file in
the program.
`
