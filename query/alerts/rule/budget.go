package rule

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// utc is the zone of budgets that name none.
const utc = "UTC"

// per reads what a budget is of.
func (d document) per(n *yaml.Node, at string) string {
	text := d.Text(n, at)
	tag, ok := strings.CutPrefix(text, PerTag)
	switch {
	case text == "" || text == PerTenant:
	case !ok || tag == "":
		d.Wrong(n, at, "this must be tenant, or tag: and the name of a tag as in tag:customer; without the key the budget is of each session")
	case len(tag) > mostTag:
		d.Wrong(n, at, "the name of the tag has %d bytes; it may have %d", len(tag), mostTag)
	}
	return text
}

func (d document) period(n *yaml.Node, at string) Period {
	p := Period(n.Value)
	if p != Day && p != Month {
		d.Wrong(n, at, "this must be %s or %s", Day, Month)
	}
	return p
}

// zone reads the name of a time zone. It refuses "Local", which would be the zone of the server.
func (d document) zone(n *yaml.Node, at string) string {
	name := d.Text(n, at)
	if _, err := time.LoadLocation(name); name == "Local" || name != "" && err != nil {
		d.Wrong(n, at, "%.64q is not an IANA time zone such as UTC or Europe/Berlin", name)
	}
	return name
}

// checkBudget reports what a budget lacks, and what contradicts itself.
func (d document) checkBudget(r *Rule, n *yaml.Node, at string) {
	if r.Tokens == 0 && r.Cost.IsZero() {
		d.Wrong(n, at, "a rule of the kind %s must have tokens, cost or both", r.Kind)
	}
	if r.Cost.IsZero() != (r.Currency == "") {
		d.Wrong(n, at, "cost and currency go together")
	}
	if r.Per == "" {
		for _, key := range []string{"period", "zone", "forecast"} {
			if valueOf(n, key) != nil {
				d.Wrong(n, at, "%s goes with per: a budget of each session has no period", key)
			}
		}
		return
	}
	if r.Period == "" {
		d.Wrong(n, at, "a budget per tag or tenant must have a period, %s or %s", Day, Month)
	}
	if r.Forecast && r.Period == Day {
		d.Wrong(n, at, "contradiction: forecast is for budgets of a month")
	}
	if r.Zone == "" {
		r.Zone = utc
	}
}
