package grouping

import (
	"context"
	"fmt"
	"strconv"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/prices"
)

// UseSettled makes the report read settled usage, and reports whether there is any. If so,
// FindExceptions and FindModels are not needed.
func (b *Report) UseSettled(ctx context.Context, r *query.Reader) (bool, error) {
	view, err := rollup.Read(ctx, r, b.Tenant, b.From, b.To)
	if err != nil || view == nil {
		return false, err
	}
	b.settled = view
	b.Shape.Settled, b.Shape.Unsettled = true, len(view.Unsettled) > 0
	b.Args["batches"] = view.IDs()
	if !b.Shape.Unsettled {
		return true, nil
	}
	t, err := view.Table()
	if err != nil {
		return false, fmt.Errorf("table unsettled_sessions for a query: %w", err)
	}
	b.tables = append(b.tables, t)
	return true, nil
}

// TagValue returns the SQL expression of the value of the nth tag of the shape.
func (s *Shape) TagValue(n int) string {
	if s.Settled {
		return "records.tag_value_" + strconv.Itoa(n)
	}
	return query.TagValue(n)
}

// settledModels is FindModels for settled usage.
func (b *Report) settledModels(ctx context.Context, r *query.Reader) ([]prices.Named, error) {
	var models []prices.Named
	seen := map[prices.Named]bool{}
	add := func(m prices.Named) {
		if !seen[m] {
			seen[m], models = true, append(models, m)
		}
	}
	for _, batch := range b.settled.Batches {
		b.Shape.StatedCosts = b.Shape.StatedCosts || batch.Stated
		b.Shape.Parts = b.Shape.Parts || batch.Parts
		for _, m := range batch.Models {
			add(m)
		}
	}
	if !b.Shape.Unsettled {
		return models, nil
	}
	b.Shape.Parts = true
	rows, err := query.Ask[modelRow](b.Context(ctx), r, statements, "unsettled_models", b.Shape, b.Args)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		b.Shape.StatedCosts = b.Shape.StatedCosts || row.Stated
		for _, of := range rows { // one row of a record may state the provider and another the model
			add(prices.Named{Provider: of.Provider, Model: row.Model})
		}
	}
	return models, nil
}
