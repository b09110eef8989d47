package cost

import (
	"strings"

	"github.com/shopspring/decimal"

	"tapedeck/query/prices"
)

// class is what the price of a token depends on within a Pricer.
type class struct {
	provider, model, service, speed, region, tags string
	tier, epoch, time                             int
}

// rates are the costs of one call and of one token of each bucket. A Pricer keeps them, since
// finding a model in a table takes longer than multiplying.
type rates struct {
	call   rate
	tokens [6]rate
}

type rate struct {
	cost  decimal.Decimal
	err   error
	known bool // it was looked up
}

// total returns the cost of a cell as Price does, from the rates of its class.
func (p *Pricer) total(c *Cell) (decimal.Decimal, error) {
	if !c.Valid || c.Rest {
		priced, err := p.Price(c)
		if err != nil {
			return decimal.Decimal{}, err
		}
		return priced.Total, nil
	}
	r := p.ratesOf(&c.Key)
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
	return sum, err
}

// Rates returns what one call and one token of each bucket of a cell cost; false if the
// cost of the cell is not known. Rates of what the cell has none of are 0.
func (p *Pricer) Rates(c *Cell) (call decimal.Decimal, tokens [6]decimal.Decimal, known bool) {
	if p.Of(c).Cost == nil {
		return call, tokens, false
	}
	r := p.ratesOf(&c.Key)
	call, err := p.times(&r.call, c, Quantities{Calls: 1}, 1)
	for i, n := range c.buckets() {
		if n != 0 && err == nil {
			var one Quantities
			*one.bucket(i) = 1
			tokens[i], err = p.times(&r.tokens[i], c, one, 1)
		}
	}
	return call, tokens, err == nil
}

// times returns n times a rate, which is the cost of one.
func (p *Pricer) times(r *rate, c *Cell, one Quantities, n int64) (decimal.Decimal, error) {
	if !r.known {
		r.known = true
		cell := prices.Cell{Call: p.call(&c.Key), InputTokens: c.InputTokens, Calls: one.Calls}
		priced, err := p.Table.PriceCell(cell, one.Usage())
		if r.err = err; err == nil {
			r.cost = priced.Total
		}
	}
	if r.err != nil {
		return decimal.Decimal{}, r.err
	}
	return r.cost.Mul(decimal.NewFromInt(n)), nil
}

func (p *Pricer) ratesOf(k *Key) *rates {
	id := class{provider: k.Provider, model: k.Model, service: k.ServiceTier, speed: k.Speed, region: k.Region, tags: strings.Join(k.Tags, "\x00")}
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
	if p.rates == nil {
		p.rates = map[class]*rates{}
	}
	r := p.rates[id]
	if r == nil {
		r = &rates{}
		p.rates[id] = r
	}
	return r
}

const day = 24 * 3600 * 1e9

// buckets returns the tokens by bucket.
func (q *Quantities) buckets() [6]int64 {
	return [...]int64{q.Input, q.CacheRead, q.CacheWrite5m, q.CacheWrite1h, q.Output, q.Reasoning}
}

// bucket returns the ith of the buckets.
func (q *Quantities) bucket(i int) *int64 {
	return [...]*int64{&q.Input, &q.CacheRead, &q.CacheWrite5m, &q.CacheWrite1h, &q.Output, &q.Reasoning}[i]
}
