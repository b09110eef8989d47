package pricelist

import (
	"context"
	"errors"
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

// unmatched lists the models that have no price at the time of their last use.
func unmatched(ctx context.Context, r *query.Reader, e *prices.Effective, tenant string) ([]Unmatched, error) {
	rows, err := query.Ask[usedRow](ctx, r, statements, "models_used", nil,
		query.Args{"tenant": tenant, "limit": maxUsed})
	if err != nil {
		return nil, err
	}
	list := []Unmatched{}
	for _, row := range rows {
		call := prices.Call{
			Provider: row.Provider, Model: row.Model, ServiceTier: row.ServiceTier, Speed: row.Speed,
			At: time.Unix(0, row.Last).UTC(), Tenant: tenant,
		}
		_, err := e.Quote(call, 0)
		why, ok := errors.AsType[*prices.Unpriced](err)
		if !ok {
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
		list = append(list, u)
	}
	return list, nil
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
