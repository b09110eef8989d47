package bills

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/problem"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
)

// List holds the periods of the accounts of a tenant, newest first.
type List struct {
	Items []Item `json:"items"`
	// Unbilled is usage that belongs to no account, by month.
	Unbilled []Unbilled `json:"unbilled"`
	// NeverBilled is usage of months before the first bill of their account, by account and month.
	NeverBilled []NeverBilled `json:"never_billed"`
	Next        *string       `json:"next"` // always null: the list is not paged
}

// Item is one period of one account.
type Item struct {
	Account     string    `json:"account"`
	AccountName string    `json:"account_name"`
	Period      string    `json:"period"`
	State       State     `json:"state"`
	Start       time.Time `json:"period_start"`
	End         time.Time `json:"period_end"`
	ClosableAt  time.Time `json:"closable_at"`
	Timezone    string    `json:"timezone"`
	Currency    string    `json:"currency"`
	MinorUnits  int32     `json:"minor_units"` // decimal places of rounded amounts

	Number   *string          `json:"number"`    // null unless the period is closed
	ClosedAt *time.Time       `json:"closed_at"` // likewise
	Total    *decimal.Decimal `json:"total"`     // likewise
	Unpriced uint64           `json:"unpriced"`  // number of calls without a price; for a closed bill, of charges

	// Calls and Cost describe the usage of the period as stored and priced now, without
	// corrections. They are null for a closed period.
	Calls *uint64     `json:"calls"`
	Cost  *cost.Money `json:"cost"`
	// Amount is what the bill's lines come to: Total of a closed bill, else Cost with each line
	// rounded as a bill rounds it; null while no call has a price.
	Amount *decimal.Decimal `json:"amount"`

	lines cost.Lines
}

// Unbilled is usage of a month that belongs to no account.
type Unbilled struct {
	Period string      `json:"period"` // in UTC
	Calls  uint64      `json:"calls"`
	Cost   *cost.Money `json:"cost"`
}

// ListQuery selects periods of accounts.
type ListQuery struct {
	Tenant   string
	Account  string // "" for all
	State    State  // "" for all
	From, To string // months, inclusive; default a year before To, and the current month
}

// List returns the periods that have a bill or usage, and for each account all periods after its
// last bill. The periods of an account begin with its first bill.
func (s *Store) List(ctx context.Context, q ListQuery) (*List, error) {
	if _, _, err := s.settle(ctx, q.Tenant); err != nil {
		return nil, err
	}
	table, err := s.reader.Prices(ctx, "")
	if err != nil {
		return nil, err
	}
	l := &lister{store: s, query: q, accounts: accounts{q.Tenant, table.Accounts()}, currency: table.Currency(),
		now: s.now(), items: map[string]*Item{}, first: map[string]*Bill{}, never: neverBilled{}}
	if l.minor, err = prices.MinorUnits(l.currency); err != nil {
		return nil, err
	}
	if err := l.readRange(); err != nil {
		return nil, err
	}
	if l.bills, err = s.Closed(ctx, q.Tenant, q.Account); err != nil {
		return nil, err
	}
	if q.Account != "" && len(l.bills) == 0 { // the price file may no longer have an account that has bills
		if _, err := l.accounts.find(q.Account); err != nil {
			return nil, err
		}
	}
	l.closed()
	if err := l.usage(ctx); err != nil {
		return nil, err
	}
	if err := l.following(); err != nil {
		return nil, err
	}
	return l.list(), nil
}

type lister struct {
	store    *Store
	query    ListQuery
	accounts accounts
	currency string
	minor    int32 // decimal places of rounded amounts of the currency
	now      time.Time
	from, to month
	bills    []Bill
	first    map[string]*Bill // the first bill of each account that has one
	items    map[string]*Item // by account and period
	never    neverBilled
	unbilled []Unbilled
}

func (l *lister) readRange() (err error) {
	l.to = monthOf(l.now.Add(14 * time.Hour)) // the next month may have begun in the easternmost zone
	if l.query.To != "" {
		if l.to, err = parseMonth("to", l.query.To); err != nil {
			return err
		}
	}
	l.from = l.to.plus(-12)
	if l.query.From == "" {
		return nil
	}
	if l.from, err = parseMonth("from", l.query.From); err != nil {
		return err
	}
	if l.query.To != "" && l.to.String() < l.from.String() {
		return problem.BadParameter("to", fmt.Sprintf("to %q is before the first month, %s.", l.to, l.from), "the first month or a later one")
	}
	return nil
}

func itemKey(account, period string) string { return account + "\x00" + period }

func (l *lister) closed() {
	for i := range l.bills {
		b := &l.bills[i]
		l.first[b.Account] = b // the bills are in order, the last period first
		if b.Period < l.from.String() || b.Period > l.to.String() {
			continue
		}
		l.items[itemKey(b.Account, b.Period)] = &Item{
			Account: b.Account, AccountName: b.AccountName, Period: b.Period,
			State: Closed, Start: b.Start, End: b.End, ClosableAt: b.End,
			Timezone: b.Timezone, Currency: b.Currency, MinorUnits: b.MinorUnits, Number: &b.Number,
			ClosedAt: b.ClosedAt, Total: &b.Total, Amount: &b.Total, Unpriced: b.Unpriced,
		}
	}
}

// usage adds the periods that have usage.
func (l *lister) usage(ctx context.Context) error {
	by := []string{}
	for _, tag := range l.accounts.tags() {
		by = append(by, grouping.TagPrefix+tag)
	}
	zones := []string{}
	for _, k := range l.accounts.kinds {
		zones = append(zones, k.Zone)
	}
	slices.Sort(zones)
	for i, name := range slices.Compact(zones) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return err
		}
		r, err := usagereport.Read(ctx, l.store.reader, usagereport.Query{
			Tenant: l.query.Tenant, From: l.from.start(zone), To: l.to.plus(1).start(zone),
			Zone: zone, Granularity: grouping.Monthly, GroupBy: by, Lines: true,
		})
		if err != nil {
			return err
		}
		for j := range r.Items {
			if err := l.row(name, i == 0, &r.Items[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// row adds the usage of a month in a zone to the account to which it belongs, if the account is in
// that zone.
func (l *lister) row(zone string, first bool, row *usagereport.Row) error {
	a, ok := l.accounts.of(tagsOf(row))
	switch {
	case !ok && first && l.query.Account == "":
		l.addUnbilled(*row.Name, row)
		return nil
	case !ok || a.Kind.Zone != zone || l.query.Account != "" && a.ID != l.query.Account:
		return nil
	}
	m, err := parseMonth("period", *row.Name)
	if err != nil {
		return err
	}
	if first := l.first[a.ID]; first != nil && m.String() < first.Period {
		// What is after the time from which bills are corrected is in the next bill.
		if row.End != nil && !row.End.After(first.Since) {
			l.never.add(a.ID, m.String(), row)
		}
		return nil
	}
	item, err := l.item(&a, m)
	if err != nil || item.State == Closed {
		return err
	}
	*item.Calls += row.Calls
	item.Cost = cost.Sum(item.Cost, row.Cost)
	item.Unpriced += row.UnpricedCalls
	item.lines = item.lines.With(row.Lines)
	return nil
}

func (l *lister) addUnbilled(period string, row *usagereport.Row) {
	if n := len(l.unbilled); n == 0 || l.unbilled[n-1].Period != period {
		l.unbilled = append(l.unbilled, Unbilled{Period: period})
	}
	u := &l.unbilled[len(l.unbilled)-1]
	u.Calls += row.Calls
	u.Cost = cost.Sum(u.Cost, row.Cost)
}

// item returns the item of an account's month.
func (l *lister) item(a *Account, m month) (*Item, error) {
	key := itemKey(a.ID, m.String())
	if item := l.items[key]; item != nil {
		return item, nil
	}
	var before *Bill
	text := m.plus(-1).String()
	if i := slices.IndexFunc(l.bills, func(b Bill) bool { return b.Account == a.ID && b.Period == text }); i >= 0 {
		before = &l.bills[i]
	}
	p, err := a.period(m, before)
	if err != nil {
		return nil, err
	}
	item := &Item{
		Account: a.ID, AccountName: a.Name, Period: p.Month, State: p.state(l.now),
		Start: p.Start, End: p.End, ClosableAt: p.ClosableAt,
		Timezone: a.Kind.Zone, Currency: l.currency, MinorUnits: l.minor, Calls: new(uint64),
	}
	l.items[key] = item
	return item, nil
}

// following adds, for each account, the months from its last bill to the current month in its time zone.
// Periods are closed in order, so a month without usage is listed too.
func (l *lister) following() error {
	last := map[string]string{}
	for i := range l.bills {
		b := &l.bills[i]
		last[b.Account] = max(last[b.Account], b.Period)
	}
	for id, period := range last {
		a, err := l.accounts.find(id)
		if err != nil {
			continue // the price file no longer has the account
		}
		m, err := parseMonth("period", period)
		if err != nil {
			return err
		}
		zone, err := a.Kind.Location()
		if err != nil {
			return err
		}
		for m = m.plus(1); m.String() <= l.to.String() && !m.start(zone).After(l.now); m = m.plus(1) {
			if m.String() < l.from.String() {
				continue
			}
			if _, err := l.item(&a, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) list() *List {
	list := &List{Items: []Item{}, Unbilled: l.unbilled, NeverBilled: l.never.list()}
	if list.Unbilled == nil {
		list.Unbilled = []Unbilled{}
	}
	for _, item := range l.items {
		if item.Cost != nil {
			amount := item.lines.Rounded(item.MinorUnits)
			item.Amount = &amount
		}
		if l.query.State == "" || item.State == l.query.State {
			list.Items = append(list.Items, *item)
		}
	}
	slices.SortFunc(list.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Period, a.Period), cmp.Compare(a.Account, b.Account))
	})
	return list
}
