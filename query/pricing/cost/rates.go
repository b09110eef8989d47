package cost

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// class holds the values on which the price of a token depends within a Pricer.
type class struct {
	provider, model, service, speed, region, tags string
	tier, epoch, time, weekday                    int
}

// rates are the costs of one call, of one token of each bucket, and of one unit of each part. A
// Pricer caches rates, since finding a model in a table takes longer than multiplying.
type rates struct {
	call   rate
	tokens [6]rate
	parts  [len(parts)]rate

	// prepared is for PriceRecord, which looks it up once; nil if the class has no prices. err is
	// the reason, if that is the same for all records of the class.
	prepared *prices.Prepared
	err      error
	looked   bool

	plan    int // see PlanOf
	planned bool
}

// classesMost bounds the classes whose rates a Pricer keeps.
const classesMost = 20_000

// Rates are the costs of one unit of each quantity of a cell.
type Rates struct {
	Call   decimal.Decimal
	Tokens [6]decimal.Decimal
	// Parts is the difference between the cost of one unit of a part and of a token of its bucket.
	Parts [len(parts)]decimal.Decimal
}

type rate struct {
	cost  decimal.Decimal
	err   error
	known bool // the rate was looked up

	unit  uint64 // the coefficient of cost, if it is small
	small bool
}

// total returns the cost of a cell like Price, from the rates of its class.
func (p *Pricer) total(c *Cell) (decimal.Decimal, error) {
	if !c.Valid || c.Rest {
		priced, err := p.Price(c)
		if err != nil {
			return decimal.Decimal{}, err
		}
		return priced.Total, nil
	}
	r := p.ratesOf(&c.Key)
	if sum, ok := r.exact(c); ok {
		return sum, nil
	}
	sum, err := p.times(&r.call, c, Quantities{Calls: 1}, int64(c.Calls))
	for i, n := range c.buckets() {
		if err != nil {
			return sum, err
		}
		if n == 0 {
			continue
		}
		var one Quantities
		*one.bucket(i) = 1
		var part decimal.Decimal
		part, err = p.times(&r.tokens[i], c, one, n)
		sum = sum.Add(part)
	}
	for i, n := range c.fields() {
		if err != nil {
			return sum, err
		}
		if *n == 0 {
			continue
		}
		var more decimal.Decimal
		more, err = p.more(r, c, i)
		sum = sum.Add(more.Mul(decimal.NewFromInt(*n)))
	}
	return sum, err
}

// exact returns the cost of a cell if all its rates are known, it has no parts, and the amounts fit
// into 64 bits. The result is that of decimal arithmetic, without its allocations.
func (r *rates) exact(c *Cell) (decimal.Decimal, bool) {
	if c.Parts != (Parts{}) {
		return decimal.Decimal{}, false
	}
	counts := [7]int64{int64(c.Calls), c.Input, c.CacheRead, c.CacheWrite5m, c.CacheWrite1h, c.Output, c.Reasoning}
	of := [7]*rate{&r.call, &r.tokens[0], &r.tokens[1], &r.tokens[2], &r.tokens[3], &r.tokens[4], &r.tokens[5]}
	least := r.call.cost.Exponent()
	for i, n := range counts {
		if i > 0 && n == 0 {
			continue
		}
		if !of[i].known || of[i].err != nil || !of[i].small || n < 0 {
			return decimal.Decimal{}, false
		}
		least = min(least, of[i].cost.Exponent())
	}
	var sum uint64
	for i, n := range counts {
		if n == 0 {
			continue
		}
		up := of[i].cost.Exponent() - least
		if up >= int32(len(powers)) {
			return decimal.Decimal{}, false
		}
		high, unit := bits.Mul64(of[i].unit, powers[up])
		over, amount := bits.Mul64(unit, uint64(n))
		var carry uint64
		if sum, carry = bits.Add64(sum, amount, 0); high|over|carry != 0 || sum > math.MaxInt64 {
			return decimal.Decimal{}, false
		}
	}
	return decimal.New(int64(sum), least), true
}

// powers are the powers of ten that fit into 64 bits.
var powers = func() (list [20]uint64) {
	for i, n := 0, uint64(1); i < len(list); i, n = i+1, n*10 {
		list[i] = n
	}
	return list
}()

// more returns the difference between the cost of one unit of the ith part and of a token of its
// bucket.
func (p *Pricer) more(r *rates, c *Cell, i int) (decimal.Decimal, error) {
	var one Quantities
	*one.fields()[i] = 1
	b := parts[i].bucket
	if b >= 0 {
		*one.bucket(b) = 1
	}
	part, err := p.times(&r.parts[i], c, one, 1)
	if err != nil || b < 0 {
		return part, err
	}
	one.Parts = Parts{}
	plain, err := p.times(&r.tokens[b], c, one, 1)
	return part.Sub(plain), err
}

// Rates returns the cost of one unit of each quantity of a cell; false if the cost of the cell is
// unknown. Rates of quantities that the cell does not have are 0.
func (p *Pricer) Rates(c *Cell) (r Rates, known bool) {
	if p.Of(c).Cost == nil {
		return r, false
	}
	kept := p.ratesOf(&c.Key)
	var err error
	r.Call, err = p.times(&kept.call, c, Quantities{Calls: 1}, 1)
	for i, n := range c.buckets() {
		if n != 0 && err == nil {
			var one Quantities
			*one.bucket(i) = 1
			r.Tokens[i], err = p.times(&kept.tokens[i], c, one, 1)
		}
	}
	for i, n := range c.fields() {
		if *n != 0 && err == nil {
			r.Parts[i], err = p.more(kept, c, i)
		}
	}
	return r, err == nil
}

// times returns n times the rate of r, which is the cost of the usage one.
func (p *Pricer) times(r *rate, c *Cell, one Quantities, n int64) (decimal.Decimal, error) {
	if !r.known {
		r.known = true
		cell := prices.Cell{Call: p.call(&c.Key), InputTokens: c.InputTokens, Calls: one.Calls}
		priced, err := p.Table.PriceCell(cell, one.Usage())
		if r.err = err; err == nil {
			r.cost = priced.Total
			unit := priced.Total.Coefficient()
			r.unit, r.small = unit.Uint64(), unit.IsUint64()
		}
	}
	if r.err != nil {
		return decimal.Decimal{}, r.err
	}
	return r.cost.Mul(decimal.NewFromInt(n)), nil
}

func (p *Pricer) ratesOf(k *Key) *rates {
	id := class{provider: k.Provider, model: k.Model, service: k.ServiceTier, speed: k.Speed, region: k.Region,
		tags: tagKey(k.Tags)}
	for _, start := range p.Split.TierStarts {
		if start < k.InputTokens {
			id.tier++
		}
	}
	for _, t := range p.Split.Instants {
		if t.UnixNano() <= k.At {
			id.epoch++
		}
	}
	for _, t := range p.Split.TimesOfDay {
		if int64(t) <= k.At%day {
			id.time++
		}
	}
	for _, d := range p.Split.Weekdays {
		if int64(d) <= (k.At/day+3)%7 { // the first day of the epoch is a Thursday
			id.weekday++
		}
	}
	r := p.rates[id]
	if r == nil {
		if p.rates == nil || len(p.rates) >= classesMost {
			p.rates = map[class]*rates{}
		}
		r = &rates{}
		p.rates[id] = r
	}
	return r
}

// tagKey returns a text that is different for different values of tags.
func tagKey(values []string) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return values[0]
	}
	var key []byte
	for _, v := range values {
		key = append(append(strconv.AppendInt(key, int64(len(v)), 10), ':'), v...)
	}
	return string(key)
}

const day = 24 * 3600 * 1e9

// inputBucket, cacheReadBucket and outputBucket are the indexes of buckets that contain parts.
const inputBucket, cacheReadBucket, outputBucket = 0, 1, 4

// buckets returns the tokens of each bucket.
func (q *Quantities) buckets() [6]int64 {
	return [...]int64{q.Input, q.CacheRead, q.CacheWrite5m, q.CacheWrite1h, q.Output, q.Reasoning}
}

// bucket returns the ith bucket.
func (q *Quantities) bucket(i int) *int64 {
	return [...]*int64{&q.Input, &q.CacheRead, &q.CacheWrite5m, &q.CacheWrite1h, &q.Output, &q.Reasoning}[i]
}
