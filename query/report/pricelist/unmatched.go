package pricelist

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
)

// Unmatched is a model in usage that has no price.
type Unmatched struct {
	Provider    string        `json:"provider"` // "" if the source states none; likewise the fields below
	Model       string        `json:"model"`
	ServiceTier string        `json:"service_tier"`
	Speed       string        `json:"speed"`
	Records     uint64        `json:"records"` // stored usage records; a record counts for each stream that reported it
	Last        time.Time     `json:"last"`
	Reason      prices.Reason `json:"reason"`
	Detail      string        `json:"detail"`
	Nearest     []string      `json:"nearest"` // models of the table with similar ids, as provider/model
}

// Inexact is a model that usage names and that is priced by the entry of another model, which was
// taken by the beginning of the name.
type Inexact struct {
	Provider      string    `json:"provider"` // "" if the source states none
	Model         string    `json:"model"`
	PriceProvider string    `json:"price_provider"`
	PriceModel    string    `json:"price_model"`
	Records       uint64    `json:"records"` // as in Unmatched
	Last          time.Time `json:"last"`
}

type usedRow struct {
	Provider    string `ch:"provider"`
	Model       string `ch:"model"`
	ServiceTier string `ch:"service_tier"`
	Speed       string `ch:"speed"`
	Records     uint64 `ch:"records"`
	Last        int64  `ch:"last"`
}

// Bounds of the search for models without a price.
const (
	maxUsed    = 2000
	maxNearest = 3
)

// inUse adds to a list the models that usage names: those of the table that f selects, those that
// have no price at the time of their last use, and those that have the price of another model.
func (list *List) inUse(ctx context.Context, r *query.Reader, e *prices.Effective, tenant string, f Filter) error {
	rows, err := query.Ask[usedRow](ctx, r, statements, "models_used", nil,
		query.Args{"tenant": tenant, "limit": maxUsed})
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b usedRow) int { return cmp.Compare(b.Last, a.Last) })
	known := map[name]bool{}
	for _, row := range rows {
		call := prices.Call{
			Provider: row.Provider, Model: row.Model, ServiceTier: row.ServiceTier, Speed: row.Speed,
			At: time.Unix(0, row.Last).UTC(), Tenant: tenant,
		}
		q, err := e.Quote(call, 0)
		why, ok := errors.AsType[*prices.Unpriced](err)
		if !ok {
			if err != nil {
				continue
			}
			if of := e.Inexact(row.Provider, row.Model); of != "" {
				list.Inexact = addInexact(list.Inexact, Inexact{row.Provider, row.Model, q.Provider.ID, of, row.Records, call.At})
			}
			n := name{provider: row.Provider, model: row.Model} // only a rule prices it
			if q.Provider != nil {
				n = name{q.Provider.ID, q.Model.ID, q.Model}
			}
			if !known[n] && f.has(n.provider, n.model) {
				known[n] = true
				list.Used = append(list.Used, entryOf(e, n, tenant, list.At))
			}
			continue
		}
		u := Unmatched{
			Provider: row.Provider, Model: row.Model, ServiceTier: row.ServiceTier,
			Speed: row.Speed, Records: row.Records,
			Last: call.At, Reason: why.Reason, Detail: why.Detail, Nearest: []string{},
		}
		if why.Reason == prices.UnknownModel || why.Reason == prices.UnknownProvider {
			u.Nearest = nearest(e, row.Provider, row.Model)
		}
		list.Unmatched = append(list.Unmatched, u)
	}
	return nil
}

// addInexact adds a use of a model, whose uses by service tier and speed are apart.
func addInexact(list []Inexact, x Inexact) []Inexact {
	for i := range list {
		if list[i].Provider == x.Provider && list[i].Model == x.Model {
			list[i].Records += x.Records
			if x.Last.After(list[i].Last) {
				list[i].Last = x.Last
			}
			return list
		}
	}
	return append(list, x)
}

// nearest lists the models of the table whose ids are similar to a name: models of the provider, or
// of all providers if the table does not have it.
func nearest(e *prices.Effective, provider, model string) []string {
	all, own := []string{}, []string{}
	byModel := map[string][]string{}
	for _, n := range names(e) {
		all = append(all, n.model)
		byModel[n.model] = append(byModel[n.model], n.provider+"/"+n.model)
		if strings.EqualFold(n.provider, provider) {
			own = append(own, n.model)
		}
	}
	found := []string{}
	if len(own) > 0 {
		for _, m := range prices.NearestModels(model, own, maxNearest) {
			found = append(found, strings.ToLower(provider)+"/"+m)
		}
		return found
	}
	for _, m := range prices.NearestModels(model, all, maxNearest) {
		found = append(found, byModel[m]...)
	}
	return found[:min(len(found), maxNearest)]
}
