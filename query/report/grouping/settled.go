package grouping

import (
	"context"
	"strconv"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/prices"
)

// UseCounted makes the report read usage as counted, see sql/counted_records.sql. FindModels is
// called after it.
func (b *Report) UseCounted(ctx context.Context, r *query.Reader) error {
	view, err := rollup.Read(ctx, r, b.Tenant, b.From, b.To)
	if err != nil {
		return err
	}
	return b.UseView(view)
}

// UseCalls makes the report read calls of models or tools as counted, see sql/counted_calls.sql.
func (b *Report) UseCalls(ctx context.Context, r *query.Reader) error {
	view, err := rollup.ReadCalls(ctx, r, b.Tenant, b.From, b.To)
	if err != nil {
		return err
	}
	return b.UseView(view)
}

// UseView makes the statements of the report read a view.
func (b *Report) UseView(view *rollup.View) error {
	b.view, b.Shape.Source = view, view.Source()
	b.Args = b.Args.And(view.Args())
	tables, err := view.Tables()
	b.tables = append(b.tables, tables...)
	return err
}

// TagValue returns the SQL expression of the value of the nth tag of the shape.
func (s *Shape) TagValue(n int) string { return "records.tag_value_" + strconv.Itoa(n) }

// modelRow is a model under the names in records.
type modelRow struct {
	Provider string `ch:"provider"`
	Model    string `ch:"model"`
	Stated   bool   `ch:"stated"`
}

// FindModels returns the models of the report's records, and finds out whether sources state costs
// and parts of tokens.
func (b *Report) FindModels(ctx context.Context, r *query.Reader) ([]prices.Named, error) {
	var models []prices.Named
	seen := map[prices.Named]bool{}
	add := func(m prices.Named) {
		if !seen[m] {
			seen[m], models = true, append(models, m)
		}
	}
	for _, batch := range b.view.Batches {
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
	providers := map[string]bool{}
	for _, row := range rows {
		b.Shape.StatedCosts = b.Shape.StatedCosts || row.Stated
		providers[row.Provider] = true
	}
	for _, row := range rows {
		for provider := range providers { // one row of a record may state the provider and another the model
			add(prices.Named{Provider: provider, Model: row.Model})
		}
	}
	return models, nil
}
