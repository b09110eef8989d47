package focus

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query/billing/bills"
	"tapedeck/query/pricing/prices"
)

// Source holds closed bills of one tenant.
type Source struct {
	Bills []*bills.Bill
	// Numbers maps each account and period to the number of its closed bill, which corrections
	// refer to.
	Numbers map[string]map[string]string
}

// Scope selects the exported bills: one bill by its number, or the bills of a period, of one
// account or of all.
type Scope struct{ Number, Period, Account string }

// check returns an error if the scope has no valid period.
func (s Scope) check() error {
	if s.Number != "" {
		return nil
	}
	if _, err := time.Parse("2006-01", s.Period); err != nil {
		return problem.BadParameter("period", fmt.Sprintf("period %q is not a month.", s.Period), "a month, as 2026-10")
	}
	return nil
}

// Read reads the bills of a scope.
func Read(ctx context.Context, store *bills.Store, tenant string, of Scope) (*Source, error) {
	source := &Source{Numbers: map[string]map[string]string{}}
	account := of.Account
	if of.Number != "" {
		b, err := store.Bill(ctx, tenant, of.Number)
		if err != nil {
			return nil, err
		}
		source.Bills, account = []*bills.Bill{b}, b.Account
	}
	closed, err := store.Closed(ctx, tenant, account)
	if err != nil {
		return nil, err
	}
	for i := range closed {
		b := &closed[i]
		if source.Numbers[b.Account] == nil {
			source.Numbers[b.Account] = map[string]string{}
		}
		source.Numbers[b.Account][b.Period] = b.Number
		if of.Number == "" && b.Period == of.Period {
			source.Bills = append(source.Bills, b)
		}
	}
	if len(source.Bills) == 0 {
		whose := "an account"
		if of.Account != "" {
			whose = fmt.Sprintf("the account %q", of.Account)
		}
		return nil, problem.NotFound(fmt.Sprintf("No period %q of %s is closed, so there is no bill to export.",
			of.Period, whose))
	}
	return source, nil
}

// accountOf returns the account of a bill in a price file.
func accountOf(table *prices.Effective, b *bills.Bill) prices.Account {
	tag := ""
	if b.Account != bills.TenantID {
		tag, _, _ = strings.Cut(b.Account, "=")
	}
	return table.AccountOf(tag)
}
