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
	// issuer is the name of who issues the invoice.
	issuer, paymentTerms string
	// numbers are the numbers of the account's bills, by period.
	numbers map[string]string
	// served are the providers that serve models, by the names that rows have.
	served map[[2]string]provider
	// tiers are the input tokens above which prices hold.
	tiers map[tierKey]int64
}

// Names where neither the price file nor the options have any.
const (
	defaultIssuer = "tapedeck"
	defaultTerms  = "As agreed"
)

// first returns the first name that is there.
func first(names ...string) string {
	for _, n := range names {
		if n = name(n); n != "" {
			return n
		}
	}
	return ""
}

// provider is who serves a model.
type provider struct{ id, name string }

// accountID is unique among all accounts of the issuer.
func (b *invoice) accountID() string {
	if b.Account == bills.TenantID {
		return b.options.Tenant
	}
	return b.options.Tenant + "/" + name(b.Account)
}

// accountName is the account's display name.
func (b *invoice) accountName() string {
	if n := name(b.AccountName); n != "" {
		return n
	}
	return b.accountID()
}

// accountType says what kind of account it is.
func (b *invoice) accountType() string {
	if b.Account == bills.TenantID {
		return "Tenant"
	}
	key, _, _ := strings.Cut(b.Account, "=")
	return "Tag " + name(key)
}

// provider returns who serves the model of a row: by the price table, or else by the row's
// own names. A model without a known provider is served by the issuer.
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

// maxServed bounds how many models are remembered.
const maxServed = 10_000

// lineID names a line of an invoice. Lines of corrections have the period that they correct.
func lineID(period, provider, model, unit string) string {
	return strings.Join([]string{period, url.PathEscape(valid(provider)), url.PathEscape(valid(model)), unit}, "/")
}
