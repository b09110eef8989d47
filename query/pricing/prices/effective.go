package prices

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/shopspring/decimal"
)

// Effective is an immutable table of the prices that are charged. It combines a table of list
// prices, an overlay of rules for prices that the table lacks, and an operator's rules.
type Effective struct {
	content content
	text    []byte // canonical text of content
	hash    string
	splits  Splits
	entries entries

	plans  []Plan
	listed *Effective // see Listed
	// splitPlans reports whether splits tell apart the calls of different plans.
	splitPlans bool
}

// content has the parts of an effective table.
type content struct {
	Table    *Table    `json:"table"`
	Overlay  []Rule    `json:"overlay"`
	Operator *Operator `json:"operator,omitempty"`
}

// Source returns effective tables.
type Source interface {
	// Effective returns the table with a hash, or the current one for "".
	Effective(ctx context.Context, hash string) (*Effective, error)
}

// Standard returns the effective table of a program without an operator's price file.
var Standard = sync.OnceValue(func() *Effective { return With(nil) })

// With returns the program's effective table with an operator's prices, which may be nil.
func With(operator *Operator) *Effective {
	e, err := Combine(Builtin(), Overlay(), operator)
	if err != nil {
		panic(err) // the parts were decoded from text, so they can be encoded
	}
	return e
}

// WithList does the same as With for the newest list prices: those of a table in use, or those of
// the program.
func WithList(used *Effective, operator *Operator) (*Effective, error) {
	list, err := Newest(used)
	if err != nil {
		return nil, err
	}
	if list == Builtin() {
		return With(operator), nil
	}
	return Combine(list, Overlay(), operator)
}

// Combine makes an effective table. operator may be nil. The caller must not change the arguments
// afterwards.
func Combine(t *Table, overlay []Rule, operator *Operator) (*Effective, error) {
	if operator.empty() {
		operator = nil
	}
	e := &Effective{content: content{t, overlay, operator}}
	var err error
	if e.text, err = json.Marshal(e.content); err != nil {
		return nil, fmt.Errorf("write the effective price table: %w", err)
	}
	sum := sha256.Sum256(e.text)
	e.hash = hex.EncodeToString(sum[:])
	e.splits = e.findSplits()
	if err := e.usePlans(); err != nil {
		return nil, err
	}
	return e, nil
}

// LoadEffective reads the canonical text of an effective table.
func LoadEffective(text []byte) (*Effective, error) {
	var c content
	if err := decodeStrictly(text, &c); err != nil {
		return nil, fmt.Errorf("read the effective price table: %w", err)
	}
	return Combine(c.Table, c.Overlay, c.Operator)
}

// Hash returns the SHA-256 of the table's canonical text in hexadecimal.
func (e *Effective) Hash() string { return e.hash }

// Text returns the table's canonical text, which LoadEffective reads. The caller must not change
// it.
func (e *Effective) Text() []byte { return e.text }

// Table returns the list prices, in US dollars. The caller must not change them.
func (e *Effective) Table() *Table { return e.content.Table }

// Find returns the entry of a call's model and the list prices that apply at the call's time. The
// error is an *Unpriced.
func (e *Effective) Find(call Call) (*Provider, *Model, *Period, error) {
	p, m, err := e.entries.of(e.content.Table, call.Provider, call.Model)
	if err != nil {
		return nil, nil, nil, err
	}
	return p, m, m.Prices.at(call.At), nil
}

// Overlay returns the rules for prices that the table lacks. The caller must not change them.
func (e *Effective) Overlay() []Rule { return e.content.Overlay }

// Operator returns the operator's prices, nil if there are none. The caller must not change them.
func (e *Effective) Operator() *Operator { return e.content.Operator }

// Currency returns the ISO 4217 code of the currency of all costs.
func (e *Effective) Currency() string {
	if e.content.Operator == nil {
		return dollar
	}
	return e.content.Operator.Currency
}

const dollar = "USD"

// Cell is a set of calls whose costs are linear in their usage: they agree in all fields of Call
// except At, and in all values of Splits.
type Cell struct {
	Call               // any one of the calls
	InputTokens int64  // of any one of the calls, including cache tokens
	Calls       uint64 // number of calls
}

// Price computes the cost of a call. The error is an *Unpriced.
func (e *Effective) Price(call Call, used Usage) (*Cost, error) {
	return e.price(call, used, single(used))
}

// PriceCell computes the cost of the calls of a cell from the sums of their usage. The result is
// exactly the sum of the costs of the single calls. The error is an *Unpriced, the same as for each
// of the calls.
func (e *Effective) PriceCell(cell Cell, sums Usage) (*Cost, error) {
	return e.price(cell.Call, sums, count{decimal.NewFromUint64(cell.Calls), decimal.NewFromInt(cell.InputTokens)})
}

func (e *Effective) price(call Call, used Usage, of count) (*Cost, error) {
	q, err := e.quote(call, of.inputTokens)
	if err != nil {
		return nil, err
	}
	cost, err := q.Charged.cost(used, of)
	if err != nil {
		return nil, err
	}
	cost.List, cost.Contracted = decimal.NewNullDecimal(cost.Total), decimal.NewNullDecimal(cost.Total)
	if q.changed {
		if cost.List, err = q.List.total(used, of); err != nil {
			return nil, err
		}
		if cost.Contracted, err = q.Contracted.total(used, of); err != nil {
			return nil, err
		}
	}
	for i := range cost.Lines {
		line := &cost.Lines[i]
		if list, ok := q.List[line.Unit.PriceKey]; ok {
			line.List = decimal.NewNullDecimal(list.at(of.inputTokens))
		}
		if contracted, ok := q.Contracted[line.Unit.PriceKey]; ok {
			line.Contracted = decimal.NewNullDecimal(contracted.at(of.inputTokens))
		}
	}
	cost.Provider, cost.Model, cost.Period, cost.Rules = q.Provider, q.Model, q.Period, q.Rules
	return cost, nil
}

// Fixed is a Source that has one table.
type Fixed struct{ Table *Effective }

// Effective implements Source.
func (f Fixed) Effective(_ context.Context, hash string) (*Effective, error) {
	if hash != "" && hash != f.Table.Hash() {
		return nil, &UnknownHash{hash}
	}
	return f.Table, nil
}

// UnknownHash is the error of a Source that has no table with the given hash.
type UnknownHash struct{ Hash string }

func (e *UnknownHash) Error() string { return "there is no price table with the hash " + e.Hash }

// Tenants returns the sorted names of the tenants that rules and plans of the table name.
func (e *Effective) Tenants() []string {
	rules := slices.Clone(e.content.Overlay)
	if o := e.content.Operator; o != nil {
		rules = slices.Concat(rules, o.Prices, o.Discounts, o.Margins)
	}
	var named []string
	for i := range rules {
		named = append(named, rules[i].Scope.Tenant...)
	}
	for i := range e.plans {
		named = append(named, e.plans[i].Scope.Tenant...)
	}
	slices.Sort(named)
	return slices.Compact(named)
}
