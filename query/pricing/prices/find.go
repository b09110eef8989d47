package prices

import (
	"regexp"
	"strings"
	"time"
)

// provider returns the provider of a call: by the provider's name, or by the model if no provider
// is named.
func (t *Table) provider(name, model string) *Provider {
	if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
		for i := range t.Providers {
			if t.Providers[i].ID == name {
				return &t.Providers[i]
			}
		}
		for i := range t.Providers {
			if match := t.Providers[i].ProviderMatch; match != nil && match.Matches(name) {
				return &t.Providers[i]
			}
		}
		return nil
	}
	for i := range t.Providers {
		if match := t.Providers[i].ModelMatch; match != nil && match.Matches(model) {
			return &t.Providers[i]
		}
	}
	return nil
}

// model returns a provider's model by the name in a call. If no entry matches, a compact date in
// the name is also tried in the form with hyphens.
func (t *Table) model(p *Provider, name string) *Model {
	if m := t.modelOf(p, name, true); m != nil {
		return m
	}
	if dated := withHyphens(name); dated != name {
		return t.modelOf(p, dated, true)
	}
	return nil
}

func (t *Table) modelOf(p *Provider, name string, fallbacks bool) *Model {
	for i := range p.Models {
		if p.Models[i].Match.Matches(name) {
			return &p.Models[i]
		}
	}
	if !fallbacks {
		return nil
	}
	for _, id := range p.Fallbacks {
		for i := range t.Providers {
			if t.Providers[i].ID != id {
				continue
			}
			if m := t.modelOf(&t.Providers[i], name, false); m != nil {
				return m
			}
		}
	}
	return nil
}

// compactDate matches a date such as -20260301 in a model's name.
var compactDate = regexp.MustCompile(`-(20\d{6})(-|:|$)`)

// withHyphens returns the name with compact dates written as YYYY-MM-DD.
func withHyphens(name string) string {
	return compactDate.ReplaceAllStringFunc(name, func(part string) string {
		date, rest := part[1:9], part[9:]
		when, err := time.Parse("20060102", date)
		if err != nil {
			return part
		}
		return "-" + when.Format(time.DateOnly) + rest
	})
}
