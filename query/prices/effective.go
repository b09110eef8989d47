package prices

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"
)

// Effective is an immutable table of the prices that are charged.
type Effective struct {
	table *Table
	text  []byte // canonical
	hash  string
}

// Source returns effective tables.
type Source interface {
	// Effective returns the table with a hash, or the current one for "".
	Effective(ctx context.Context, hash string) (*Effective, error)
}

// Standard returns the effective table of a program without an operator's price file.
var Standard = sync.OnceValue(func() *Effective {
	e, err := newEffective(Builtin())
	if err != nil {
		panic(err) // TestStandard makes the same table
	}
	return e
})

func newEffective(t *Table) (*Effective, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return &Effective{t, text, hex.EncodeToString(sum[:])}, nil
}

// Hash returns the SHA-256 of the table's canonical text in hexadecimal.
func (e *Effective) Hash() string { return e.hash }

// Currency returns the ISO 4217 code of the currency of all prices and costs.
func (e *Effective) Currency() string { return "USD" }

// Price computes the cost of a call. The error is an *Unpriced.
func (e *Effective) Price(call Call, used Usage) (*Cost, error) {
	return e.price(call, used, single(used))
}

// Cell is a set of calls whose costs are linear in their usage: they differ in nothing
// that a Call has but in At, and not in what Splits lists.
type Cell struct {
	Call               // any of them
	InputTokens int64  // of any of them, cache included
	Calls       uint64 // their number
}

// PriceCell computes the cost of the calls of a cell from the sums of their usage. It is
// exactly the sum of the costs of the single calls. The error is an *Unpriced, which is that
// of each of the calls.
func (e *Effective) PriceCell(cell Cell, sums Usage) (*Cost, error) {
	return e.price(cell.Call, sums, count{decimal.NewFromUint64(cell.Calls), decimal.NewFromInt(cell.InputTokens)})
}

func (e *Effective) price(call Call, used Usage, of count) (*Cost, error) {
	p, m, period, err := e.table.Find(call)
	if err != nil {
		return nil, err
	}
	cost, err := period.Prices.cost(used, of)
	if err != nil {
		return nil, err
	}
	cost.Provider, cost.Model, cost.Period = p, m, period
	return cost, nil
}

// Splits says by what else than their provider, model, service tier, speed, region and
// tenant calls are grouped so that each group is a Cell. All lists are sorted.
type Splits struct {
	TierStarts []int64         // a call belongs to tier n if n of them are below its input tokens, cache included
	Instants   []time.Time     // prices change at them: group by the number of those that are not after the call
	TimesOfDay []time.Duration // since midnight in UTC: group by the number of those that are not after the call's
	Tags       []string        // group by the values of these tags
	// Presence lists units that not every price set of the table has a price for: group by
	// whether the call used any of each.
	Presence []string
}

// Splits returns the splits of the table.
func (e *Effective) Splits() Splits {
	var s Splits
	lacking := map[string]bool{}
	for _, p := range e.table.Providers {
		for _, m := range p.Models {
			for _, period := range m.Prices {
				s.add(period)
				for _, name := range []string{InputTokens, OutputTokens} {
					if !period.Prices.covered(unitsByName[name]) {
						lacking[name] = true
					}
				}
			}
		}
	}
	for name := range lacking {
		s.Presence = append(s.Presence, name)
	}
	s.sort()
	return s
}

// add adds the splits of a period.
func (s *Splits) add(p Period) {
	for _, price := range p.Prices {
		for _, t := range price.Tiers {
			s.TierStarts = append(s.TierStarts, t.Start)
		}
	}
	switch c := p.Constraint; {
	case c.StartDate != "":
		s.Instants = append(s.Instants, c.from)
	case c.StartTime != "":
		s.TimesOfDay = append(s.TimesOfDay, c.start, c.end)
	}
}

func (s *Splits) sort() {
	slices.Sort(s.TierStarts)
	slices.SortFunc(s.Instants, time.Time.Compare)
	slices.Sort(s.TimesOfDay)
	slices.Sort(s.Tags)
	slices.Sort(s.Presence)
	s.TierStarts, s.TimesOfDay = slices.Compact(s.TierStarts), slices.Compact(s.TimesOfDay)
	s.Instants = slices.CompactFunc(s.Instants, time.Time.Equal)
	s.Tags, s.Presence = slices.Compact(s.Tags), slices.Compact(s.Presence)
}

// Fixed is a Source of one table.
type Fixed struct{ Table *Effective }

// Effective implements Source.
func (f Fixed) Effective(_ context.Context, hash string) (*Effective, error) {
	if hash != "" && hash != f.Table.Hash() {
		return nil, &UnknownHash{hash}
	}
	return f.Table, nil
}

// UnknownHash is the error of a Source that has no table with the hash.
type UnknownHash struct{ Hash string }

func (e *UnknownHash) Error() string { return "there is no price table with the hash " + e.Hash }
