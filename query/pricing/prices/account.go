package prices

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/currency"
)

// Account is a kind of billing account: the tenant, or each value of a tag. Each account has its
// own bills.
type Account struct {
	Tag    string        `json:"tag,omitempty"` // "" for the account of the tenant
	Name   string        `json:"name"`          // * means the tenant or the tag's value
	Zone   string        `json:"zone"`          // IANA name of the zone in which periods are months
	Prefix string        `json:"prefix"`        // prefix of the numbers of bills
	Grace  time.Duration `json:"grace"`         // from a period's end until it can be closed
	// Issuer is the name of the issuer of the bills, and Terms are the payment terms, as exports state
	// them; "" for none.
	Issuer string `json:"issuer,omitempty"`
	Terms  string `json:"payment_terms,omitempty"`
	// IssuerAddress and Addresses may have several lines. Addresses maps the values of Tag to the
	// addresses of the accounts; the key for the tenant's account is "tenant".
	IssuerAddress string            `json:"issuer_address,omitempty"`
	Addresses     map[string]string `json:"addresses,omitempty"`
	Tax           *Tax              `json:"tax,omitempty"` // nil if no tax is stated
}

// Tax is the tax that an invoice adds to its net total.
type Tax struct {
	Name string          `json:"name"`
	Rate decimal.Decimal `json:"rate"` // in percent
	ID   string          `json:"id,omitempty"`
}

// Defaults of the fields of an account.
const (
	DefaultZone   = "UTC"
	DefaultPrefix = "INV-"
	DefaultGrace  = time.Hour
	maxGrace      = 31 * 24 * time.Hour
)

// TenantAccount is the account that applies if a price file lists none.
var TenantAccount = Account{Name: "*", Zone: DefaultZone, Prefix: DefaultPrefix, Grace: DefaultGrace}

// Accounts returns the kinds of accounts in their order. A charge belongs to the first kind whose
// tag its session has, else to the tenant's account if there is one.
func (e *Effective) Accounts() []Account {
	if o := e.content.Operator; o != nil && len(o.Accounts) > 0 {
		return o.Accounts
	}
	return []Account{TenantAccount}
}

// AccountOf returns the kind of accounts with a tag; "" selects the tenant's. It returns an account
// with defaults if the price file no longer lists that kind.
func (e *Effective) AccountOf(tag string) Account {
	for _, a := range e.Accounts() {
		if a.Tag == tag {
			return a
		}
	}
	return TenantAccount
}

// NameOf returns the name of the account of a tenant or of a tag's value.
func (a *Account) NameOf(value string) string { return strings.ReplaceAll(a.Name, "*", value) }

// Location returns the zone.
func (a *Account) Location() (*time.Location, error) {
	zone, err := time.LoadLocation(a.Zone)
	if err != nil {
		return nil, fmt.Errorf("zone %s of an account of the price file: %w", a.Zone, err)
	}
	return zone, nil
}

// MinorUnits returns the number of decimal places of amounts in a currency.
func MinorUnits(code string) (int32, error) {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return 0, fmt.Errorf("currency %q: %w", code, err)
	}
	scale, _ := currency.Standard.Rounding(unit)
	return int32(scale), nil
}

// prefix matches the allowed prefixes of bill numbers, which are also used as file names. The last
// character is not a digit, so that numbers with different prefixes differ.
var prefix = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]{0,30}[A-Za-z_-])$`)

func (r *fileReader) readAccounts(n *yaml.Node, path string) (list []Account) {
	r.items(n, path, func(item *yaml.Node, path string) {
		failed := len(r.errors)
		a, tenant := TenantAccount, false
		r.fields(item, path, map[string]field{
			"tenant": func(n *yaml.Node, path string) { tenant = r.flag(n, path) },
			"tag":    func(n *yaml.Node, path string) { a.Tag = r.text(n, path) },
			"name":   func(n *yaml.Node, path string) { a.Name = r.text(n, path) },
			"zone":   func(n *yaml.Node, path string) { a.Zone = r.zone(n, path) },
			"prefix": func(n *yaml.Node, path string) { a.Prefix = r.prefix(n, path) },
			"grace":  func(n *yaml.Node, path string) { a.Grace = r.grace(n, path) },
			"issuer": func(n *yaml.Node, path string) { a.Issuer = r.text(n, path) },

			"payment_terms":  func(n *yaml.Node, path string) { a.Terms = r.text(n, path) },
			"issuer_address": func(n *yaml.Node, path string) { a.IssuerAddress = r.text(n, path) },
			"addresses":      func(n *yaml.Node, path string) { a.Addresses = r.tags(n, path) },
			"tax":            func(n *yaml.Node, path string) { a.Tax = r.tax(n, path) },
		})
		same := func(o Account) bool { return o.Tag == a.Tag }
		switch {
		case len(r.errors) > failed:
		case tenant == (a.Tag != ""):
			r.fail(item, path, "an account has either \"tenant: true\" or a tag, such as \"tag: customer\"")
		case slices.ContainsFunc(list, same):
			r.fail(item, path, "the file has another account for the same tag or for the tenant")
		case strings.Contains(a.Tag, "="):
			r.fail(item, joined(path, "tag"),
				"the tag's name must not contain \"=\", which separates tag and value in the ids of accounts")
		default:
			list = append(list, a)
		}
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.fail(n, path, "the list is empty; leave it out to mean an account of the tenant")
	}
	return list
}

// tax reads the tax of invoices.
func (r *fileReader) tax(n *yaml.Node, path string) *Tax {
	t := &Tax{}
	r.fields(n, path, map[string]field{
		"name": func(n *yaml.Node, path string) { t.Name = r.text(n, path) },
		"rate": func(n *yaml.Node, path string) { t.Rate = r.decimal(n, path) },
		"id":   func(n *yaml.Node, path string) { t.ID = r.text(n, path) },
	})
	if t.Name == "" {
		r.fail(n, path, "a tax has a name and a rate in percent, as {name: VAT, rate: 19}")
	}
	return t
}

// zone reads the name of a time zone. It refuses "Local", which would be the zone of the server.
func (r *fileReader) zone(n *yaml.Node, path string) string {
	name := r.text(n, path)
	if _, err := time.LoadLocation(name); name == "Local" || name != "" && err != nil {
		r.fail(n, path, "%q is not an IANA time zone such as UTC or Europe/Berlin", clip(name))
	}
	return name
}

func (r *fileReader) prefix(n *yaml.Node, path string) string {
	text := r.text(n, path)
	if text != "" && !prefix.MatchString(text) {
		r.fail(n, path,
			"%q is not a valid prefix: it has 2 to 32 letters, digits, - and _, begins with a letter or a digit "+
				"and does not end with a digit", clip(text))
	}
	return text
}

func (r *fileReader) grace(n *yaml.Node, path string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if err != nil || d < 0 || d > maxGrace {
		r.fail(n, path, "%q is not a duration from 0s to 744h, such as 1h or 90m", clip(n.Value))
	}
	return d
}
