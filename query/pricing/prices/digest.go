package prices

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// relevant is the part of a table on which the prices of some calls depend.
type relevant struct {
	Currency string    `json:"currency"`
	Rates    []Rate    `json:"rates"`
	Entries  []priced  `json:"entries"`
	Rules    [][]Rule  `json:"rules"` // rules of the overlay, own prices, discounts and margins
	Accounts []Account `json:"accounts"`
}

// priced is the entry of a model under the name that sources use.
type priced struct {
	Named    Named   `json:"named"`
	Provider string  `json:"provider"` // "" if the table has no such provider
	Model    string  `json:"model"`
	Prices   Periods `json:"prices"`
}

// Digest returns a digest of the prices and accounts that a table has for the calls of a tenant
// that are of some models and in a half open range of time. Tables with equal digests assign these
// calls the same costs and accounts. Tables with different digests may do so as well.
func (e *Effective) Digest(tenant string, models []Named, from, to time.Time) string {
	if len(models) == 0 {
		return "none"
	}
	r := relevant{Currency: e.Currency(), Accounts: e.Accounts()}
	models = slices.Clone(models)
	slices.SortFunc(models, func(a, b Named) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	models = slices.Compact(models)
	subjects := make([]subject, len(models))
	for i, named := range models {
		subjects[i].Provider, subjects[i].Model = named.Provider, named.Model
		entry := priced{Named: named}
		if p, m, err := e.entries.of(e.content.Table, named.Provider, named.Model); err == nil {
			entry.Provider, entry.Model, entry.Prices = p.ID, m.ID, m.Prices
			subjects[i].providerID, subjects[i].modelID = p.ID, m.ID
		}
		r.Entries = append(r.Entries, entry)
	}
	lists := [][]Rule{e.content.Overlay, nil, nil, nil}
	if o := e.content.Operator; o != nil {
		lists = append(lists[:1], o.Prices, o.Discounts, o.Margins)
		for i, rate := range o.Rates {
			ends := i+1 < len(o.Rates) && !o.Rates[i+1].From.After(from)
			if rate.From.Before(to) && !ends {
				r.Rates = append(r.Rates, rate)
			}
		}
	}
	in := Scope{From: from, To: to}
	for _, rules := range lists {
		var kept []Rule
		for i := range rules {
			s := &rules[i].Scope
			if s.overlaps(&in) && (len(s.Tenant) == 0 || slices.Contains(s.Tenant, tenant)) &&
				slices.ContainsFunc(subjects, func(c subject) bool {
					return among(s.Provider, c.Provider, c.providerID) && among(s.Model, c.Model, c.modelID)
				}) {
				kept = append(kept, rules[i])
			}
		}
		r.Rules = append(r.Rules, kept)
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
