package focus

import (
	"net/url"
	"strings"

	"tapedeck/query/billing/bills"
	"tapedeck/query/pricing/prices"
)

// invoice is a bill in an export.
type invoice struct {
	*bills.Bill
	options *Options
	table   *prices.Effective
	// issuer is the name of the issuer of the invoice.
	issuer, paymentTerms string
	// numbers are the numbers of the account's bills, by period.
	numbers map[string]string
	// served maps the provider and model names of rows to the provider that serves the model.
	served map[[2]string]provider
	// tiers caches the number of input tokens above which a price applies.
	tiers map[tierKey]int64
}

// The defaults of names that neither the price file nor the options set.
const (
	defaultIssuer = "tapedeck"
	defaultTerms  = "As agreed"
)

// first returns the first name that is not empty.
func first(names ...string) string {
	for _, n := range names {
		if n = name(n); n != "" {
			return n
		}
	}
	return ""
}

// provider is the party that serves a model.
type provider struct{ id, name string }

// accountID returns an id that is unique among all accounts of the issuer.
func (b *invoice) accountID() string {
	if b.Account == bills.TenantID {
		return b.options.Tenant
	}
	return b.options.Tenant + "/" + name(b.Account)
}

// accountName returns the account's display name.
func (b *invoice) accountName() string {
	if n := name(b.AccountName); n != "" {
		return n
	}
	return b.accountID()
}

// accountType returns the kind of the account.
func (b *invoice) accountType() string {
	if b.Account == bills.TenantID {
		return "Tenant"
	}
	key, _, _ := strings.Cut(b.Account, "=")
	return "Tag " + name(key)
}

// provider returns the provider that serves the model of a row: the provider in the price table, or
// else the names in the row. The issuer serves a model without a known provider.
func (b *invoice) provider(r *bills.Row) provider {
	key := [2]string{r.Provider, r.Model}
	found, ok := b.served[key]
	if ok {
		return found
	}
	p, _, _, err := b.table.Find(prices.Call{Provider: r.Provider, Model: r.Model, At: r.At})
	switch {
	case err == nil:
		found = provider{p.ID, p.Name}
		if found.name == "" {
			found.name = p.ID
		}
	case name(r.Provider) != "":
		found = provider{name(r.Provider), name(r.Provider)}
	default:
		found = provider{b.issuer, b.issuer}
	}
	if len(b.served) < maxServed {
		b.served[key] = found
	}
	return found
}

// maxServed bounds the size of the cache of served models.
const maxServed = 10_000

// lineID returns the id of an invoice line. The id of a correction has the corrected period.
func lineID(period, provider, model, unit string) string {
	return strings.Join([]string{period, url.PathEscape(valid(provider)), url.PathEscape(valid(model)), unit}, "/")
}
