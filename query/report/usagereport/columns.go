package usagereport

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/tabular"
)

// figureColumn is a column of CSV and Parquet. Its values are string, int64 or nil, which means
// unknown.
type figureColumn struct {
	tabular.Column
	value func(*Figures) any
}

// columns lists the columns of the report's figures. Costs are text, so that no digit is lost;
// reasons are JSON.
func (u *Report) columns() []figureColumn {
	list := []figureColumn{count("calls", func(f *Figures) int64 { return int64(f.Calls) })}
	for _, b := range []struct {
		name string
		of   func(*Figures) int64
	}{
		{"input", func(f *Figures) int64 { return f.Tokens.Input }},
		{"cache_read", func(f *Figures) int64 { return f.Tokens.CacheRead }},
		{"cache_write_5m", func(f *Figures) int64 { return f.Tokens.CacheWrite5m }},
		{"cache_write_1h", func(f *Figures) int64 { return f.Tokens.CacheWrite1h }},
		{"output", func(f *Figures) int64 { return f.Tokens.Output }},
		{"reasoning", func(f *Figures) int64 { return f.Tokens.Reasoning }},
		{"total", func(f *Figures) int64 { return f.Tokens.Total }},
	} {
		list = append(list, count(b.name, b.of))
	}
	list = append(list,
		text("cost", func(f *Figures) string { return f.Cost.Text() }),
		text("currency", func(*Figures) string { return u.Prices.Currency }),
		count("unpriced_calls", func(f *Figures) int64 { return int64(f.UnpricedCalls) }),
		count("unpriced_tokens", func(f *Figures) int64 { return f.UnpricedTokens }),
		text("repriced_cost", func(f *Figures) string { return f.Repriced.Text() }),
		text("what_if_cost", func(f *Figures) string { return f.WhatIf.Text() }),
		text("repriced_currency", (*Figures).otherCurrency),
		text("stated_cost", func(f *Figures) string {
			return stated(f, func(s *cost.Stated) string {
				return s.Text()
			})
		}),
		text("stated_currency", func(f *Figures) string {
			return stated(f, func(s *cost.Stated) string {
				return s.Currency
			})
		}),
		text("stated_calls", func(f *Figures) string {
			return cmp.Or(stated(f, func(s *cost.Stated) string { return strconv.FormatUint(s.Calls, 10) }), "0")
		}),
		count("usage_discrepancies", func(f *Figures) int64 { return int64(f.Discrepancies) }),
		count("repriced_unpriced_calls", func(f *Figures) int64 { return int64(f.RepricedUnpriced) }),
		count("what_if_unpriced_calls", func(f *Figures) int64 { return int64(f.WhatIfUnpriced) }),
		text("unpriced_reasons", func(f *Figures) string { return jsonList(f.Unpriced) }),
		text("repriced_unpriced_reasons", func(f *Figures) string { return jsonList(f.RepricedReasons) }),
		text("what_if_unpriced_reasons", func(f *Figures) string { return jsonList(f.WhatIfReasons) }),
		text("priced_as", func(f *Figures) string { return jsonList(f.Inexact) }),
	)
	if u.planned {
		list = append(list, text("plan_cost", func(f *Figures) string { return f.PlanCost.Text() }))
	}
	if !u.found {
		return list
	}
	return append(list,
		count("sessions_with_findings", func(f *Figures) int64 { return int64(f.Findings.Sessions) }),
		count("findings", func(f *Figures) int64 { return int64(f.Findings.Findings) }),
		text("findings_by_code", func(f *Figures) string { return jsonList(f.Findings.Codes) }),
	)
}

func count(name string, of func(*Figures) int64) figureColumn {
	return figureColumn{tabular.Column{Name: name, Kind: tabular.Integer}, func(f *Figures) any { return of(f) }}
}

// text returns a column of texts, in which "" means unknown.
func text(name string, of func(*Figures) string) figureColumn {
	return figureColumn{tabular.Column{Name: name, Kind: tabular.Text}, func(f *Figures) any {
		if s := of(f); s != "" {
			return s
		}
		return nil
	}}
}

// cell formats a value as a CSV cell.
func cell(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return v
	}
	return ""
}

// otherCurrency returns the currency of the costs at other prices and as another model, which may
// differ from that of the costs; "" if neither is known.
func (f *Figures) otherCurrency() string {
	if known := cmp.Or(f.Repriced, f.WhatIf); known != nil {
		return known.Currency
	}
	return ""
}

// stated returns a property of the stated costs. Several values are separated by spaces.
func stated(f *Figures, of func(*cost.Stated) string) string {
	parts := make([]string, len(f.Stated))
	for i := range f.Stated {
		parts[i] = of(&f.Stated[i])
	}
	return strings.Join(parts, " ")
}

// jsonList returns a list as JSON, "" if it is empty.
func jsonList[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	encoded, err := json.Marshal(list)
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	return string(encoded)
}
