package bills

import (
	"fmt"
	"slices"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/query/pricing/prices"
)

// Account is the party that a bill is made for: a tenant, or one value of a tag of the tenant's
// sessions.
type Account struct {
	ID    string // "tenant", or the tag and its value: "customer=c1"
	Name  string
	Kind  prices.Account
	Value string // of the tag; "" for the tenant's own account
}

// TenantID is the id of the account of a tenant.
const TenantID = "tenant"

// accounts holds the kinds of accounts of a tenant, in the order of the price file.
type accounts struct {
	tenant string
	kinds  []prices.Account
}

// of returns the account to which a charge of a session with these tags belongs: that of the first
// kind whose tag the session has, else the tenant's account. It returns false if there is no such
// account.
func (a *accounts) of(tags map[string]string) (Account, bool) {
	for _, k := range a.kinds {
		if k.Tag != "" && tags[k.Tag] != "" {
			return newAccount(k, tags[k.Tag]), true
		}
	}
	for _, k := range a.kinds {
		if k.Tag == "" {
			return newAccount(k, a.tenant), true
		}
	}
	return Account{}, false
}

func newAccount(k prices.Account, value string) Account {
	id := TenantID
	if k.Tag != "" {
		id = k.Tag + "=" + value
	}
	return Account{ID: id, Name: k.NameOf(value), Kind: k, Value: value}
}

// find returns the account with the given id.
func (a *accounts) find(id string) (Account, error) {
	tag, value, tagged := strings.Cut(id, "=")
	for _, k := range a.kinds {
		switch {
		case !tagged && id == TenantID && k.Tag == "":
			return newAccount(k, a.tenant), nil
		case tagged && value != "" && k.Tag == tag:
			return newAccount(k, value), nil
		}
	}
	return Account{}, problem.BadParameter("account",
		fmt.Sprintf("There is no account %q: the price file has accounts of other tags.", id), a.allowed()...)
}

// allowed lists the accepted forms of account ids, for error messages.
func (a *accounts) allowed() []string {
	var forms []string
	for _, k := range a.kinds {
		if k.Tag == "" {
			forms = append(forms, TenantID)
		} else {
			forms = append(forms, k.Tag+"=VALUE")
		}
	}
	return forms
}

// tags returns the names of the tags that decide to which account a charge belongs.
func (a *accounts) tags() []string {
	var list []string
	for _, k := range a.kinds {
		if k.Tag != "" {
			list = append(list, k.Tag)
		}
	}
	slices.Sort(list)
	return list
}
