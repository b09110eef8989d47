package bills

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// billed holds what was billed for the charges of a period: for each charge and key the sum of the
// rows in all bills of the account. The sum includes rows with which earlier corrections took back
// quantities.
type billed struct {
	keys    []key
	pers    []int64
	index   map[key]uint32
	charges map[string]*billedCharge
}

type billedCharge struct {
	session, stream, hash string
	items                 []item
}

// item is the quantity of one key.
type item struct {
	key      uint32
	quantity int64
}

func newBilled() *billed {
	return &billed{index: map[key]uint32{}, charges: map[string]*billedCharge{}}
}

// errFraction is the error of a quantity that is not a whole number. Recorded units have whole
// quantities only.
var errFraction = errors.New("the quantity is not a whole number")

// items adds the quantities of rows of one charge to the items with the same keys.
func (b *billed) items(items []item, rows ...Row) ([]item, error) {
	for i := range rows {
		r := &rows[i]
		if !r.Quantity.IsInteger() {
			return nil, fmt.Errorf("charge %s, %s: %w", r.ChargeID, r.Unit, errFraction)
		}
		items = add(items, b.intern(r), r.Quantity.IntPart())
	}
	return items, nil
}

// add adds a quantity to the item of a key.
func add(items []item, key uint32, n int64) []item {
	for i := range items {
		if items[i].key == key {
			items[i].quantity += n
			return items
		}
	}
	return append(items, item{key, n})
}

// intern returns the index of the key of a row.
func (b *billed) intern(r *Row) uint32 {
	k := r.key()
	i, ok := b.index[k]
	if !ok {
		i = uint32(len(b.keys))
		b.index[k] = i
		b.keys, b.pers = append(b.keys, k), append(b.pers, r.Per)
	}
	return i
}

// add adds a row of a bill.
func (b *billed) add(r *Row) (err error) {
	c := b.charges[r.ChargeID]
	if c == nil {
		c = &billedCharge{session: r.SessionID, stream: r.StreamID}
		b.charges[r.ChargeID] = c
	}
	c.hash = r.PricesHash
	c.items, err = b.items(c.items, *r)
	return err
}

// differences returns the quantities of now minus those of before. It leaves out keys whose
// quantity is equal.
func differences(before, now []item) []item {
	var diff []item
	for _, i := range now {
		diff = add(diff, i.key, i.quantity)
	}
	for _, i := range before {
		diff = add(diff, i.key, -i.quantity)
	}
	some := diff[:0]
	for _, i := range diff {
		if i.quantity != 0 {
			some = append(some, i)
		}
	}
	return some
}

// row sets the fields of a row from the key, the quantity and the costs of an item.
func (b *billed) row(r *Row, of item) {
	k := b.keys[of.key]
	r.Provider, r.Model, r.ServiceTier, r.Speed, r.Region = k.provider, k.model, k.serviceTier, k.speed, k.region
	r.Unit, r.Per, r.Reason = k.unit, b.pers[of.key], k.reason
	r.Quantity = decimal.NewFromInt(of.quantity)
	r.ListPrice, r.ContractedPrice, r.Price = nullable(k.listPrice), nullable(k.contractedPrice), nullable(k.price)
	r.costs()
}

// why returns the cause of the difference between two states of a charge.
func (b *billed) why(before, now []item, redecoded, sameTable bool) Why {
	switch {
	case b.same(before, now, key.units):
		if sameTable {
			return Changed // the session's tags select another rule
		}
		return Repriced
	case redecoded:
		return Redecoded
	case !sameTable && b.same(before, now, key.directions):
		return Repriced // another set of units has prices
	}
	return Changed
}

// same reports whether two states of a charge have the same quantities after the function of has
// mapped their keys. Keys that it maps to the empty key do not count.
func (b *billed) same(before, now []item, of func(key) key) bool {
	sums := map[key]int64{}
	for _, i := range now {
		sums[of(b.keys[i.key])] += i.quantity
	}
	for _, i := range before {
		sums[of(b.keys[i.key])] -= i.quantity
	}
	delete(sums, key{})
	for _, n := range sums {
		if n != 0 {
			return false
		}
	}
	return true
}

// units returns the key without prices.
func (k key) units() key {
	k.listPrice, k.contractedPrice, k.price, k.reason = "", "", "", ""
	return k
}

// directions returns the key reduced to the fields that do not depend on which units have prices.
func (k key) directions() key {
	unit := k.unit
	switch {
	case strings.HasPrefix(unit, "output"):
		unit = "output"
	case strings.HasPrefix(unit, "input"), strings.HasPrefix(unit, "cache"):
		unit = "input"
	default:
		return key{} // tools without a price have no rows
	}
	return key{model: k.model, serviceTier: k.serviceTier, speed: k.speed, region: k.region, unit: unit}
}

// nullable reads a decimal, null for "".
func nullable(text string) decimal.NullDecimal {
	d, err := decimal.NewFromString(text)
	return decimal.NullDecimal{Decimal: d, Valid: err == nil && text != ""}
}
