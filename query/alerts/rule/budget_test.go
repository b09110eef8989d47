package rule

import (
	"strings"
	"testing"
)

// An error in a budget per tag or tenant names the line and the key.
func TestBudgetErrors(t *testing.T) {
	for text, want := range map[string]string{
		"per: user, period: day, tokens: 1":                                 ":2: rules[0].per: this must be tenant, or tag: and the name of a tag",
		"per: session, period: day, tokens: 1":                              "without the key the budget is of each session",
		"per: 'tag:', period: day, tokens: 1":                               "rules[0].per: this must be tenant, or tag:",
		"per: [tenant], period: day, tokens: 1":                             "rules[0].per: this must be a text",
		"per: tag:" + strings.Repeat("x", 257) + ", period: day, tokens: 1": "has 257 bytes; it may have 256",
		"per: tenant, tokens: 1":                                            ":2: rules[0]: a budget per tag or tenant must have a period, day or month",
		"per: tenant, period: week, tokens: 1":                              "rules[0].period: this must be day or month",
		"per: tenant, period: [day], tokens: 1":                             "rules[0].period: this must be day or month",
		"per: tenant, period: day":                                          "must have tokens, cost or both",
		"per: tenant, period: day, tokens: 0":                               "rules[0].tokens: a budget of 0 is exceeded by any use",
		"per: tenant, period: day, tokens: -1":                              "rules[0].tokens: this must be a whole number from 0",
		"per: tenant, period: month, cost: 0.0, currency: USD":              "rules[0].cost: a budget of 0 is exceeded by any use",
		"per: tenant, period: month, cost: 5":                               "cost and currency go together",
		"per: tenant, period: month, tokens: 5, currency: USD":              "cost and currency go together",
		"period: day, tokens: 1":                                            "period goes with per",
		"zone: UTC, tokens: 1":                                              "zone goes with per",
		"forecast: true, tokens: 1":                                         "forecast goes with per",
		"per: tenant, period: day, forecast: true, tokens: 1":               "contradiction: forecast is for budgets of a month",
		"per: tenant, period: month, forecast: yes, tokens: 1":              "rules[0].forecast: this must be true or false",
		"per: tenant, period: day, zone: Mars/Olympus, tokens: 1":           `rules[0].zone: "Mars/Olympus" is not an IANA time zone`,
		"per: tenant, period: day, zone: Local, tokens: 1":                  `"Local" is not an IANA time zone`,
		"per: tenant, period: day, zone: ../../etc/x, tokens: 1":            "is not an IANA time zone",
		"per: tenant, period: day, zone: '', tokens: 1":                     "rules[0].zone: this must be a text",
	} {
		_, err := read(t, "rules:\n- {name: a, kind: budget, "+text+"}\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
	if _, err := read(t, "rules:\n- {name: a, kind: silence, after: 1m, per: tenant}\n"); err == nil || !strings.Contains(err.Error(), `unknown key "per"`) {
		t.Errorf("per of another kind: %v", err)
	}
}

// Two budgets of the same are an error, also where one leaves out what the other writes.
func TestSameBudgets(t *testing.T) {
	const first = "rules:\n- {name: a, kind: budget, per: tag:customer, period: month, tokens: 100}\n"
	for second, same := range map[string]bool{
		"per: tag:customer, period: month, tokens: 100":                   true,
		"per: tag:customer, period: month, tokens: 100, zone: UTC":        true,
		"per: tag:customer, period: month, tokens: 100, forecast: false":  true,
		"per: tag:customer, period: month, tokens: 100, max_per_hour: 5":  true,
		"per: tag:customer, period: month, tokens: 100, forecast: true":   false,
		"per: tag:customer, period: month, tokens: 90":                    false,
		"per: tag:customer, period: day, tokens: 100":                     false,
		"per: tag:user, period: month, tokens: 100":                       false,
		"per: tenant, period: month, tokens: 100":                         false,
		"per: tag:customer, period: month, tokens: 100, zone: Asia/Tokyo": false,
		"per: tag:customer, period: month, tokens: 100, tenants: [x]":     false,
		"tokens: 100": false,
	} {
		_, err := read(t, first+"- {name: b, kind: budget, "+second+"}\n")
		if (err != nil) != same || same && !strings.Contains(err.Error(), `the rule "b" alerts of the same as "a" in line 2`) {
			t.Errorf("%s: %v", second, err)
		}
	}
}

// Budgets are read as they are written, and their zone is UTC where they name none.
func TestBudgets(t *testing.T) {
	rules, err := read(t, `rules:
- {name: session, kind: budget, tokens: 5}
- {name: customer, kind: budget, per: "tag:customer", period: month, zone: Europe/Berlin, cost: 12.5, currency: EUR, forecast: true}
- {name: tenant, kind: budget, per: tenant, period: day, tokens: 7}
`)
	if err != nil || len(rules) != 3 {
		t.Fatalf("%+v, %v", rules, err)
	}
	if r := rules[0]; !r.OfSessions() || r.Period != "" || r.Zone != "" || r.Tag() != "" {
		t.Errorf("%+v", r)
	}
	if r := rules[1]; r.OfSessions() || r.Tag() != "customer" || r.Period != Month || r.Zone != "Europe/Berlin" || !r.Forecast || r.Cost.String() != "12.5" {
		t.Errorf("%+v", r)
	}
	if r := rules[2]; r.OfSessions() || r.Per != PerTenant || r.Tag() != "" || r.Period != Day || r.Zone != "UTC" || r.Forecast || r.Tokens != 7 {
		t.Errorf("%+v", r)
	}
}
