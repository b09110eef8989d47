package grouping

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
)

// modelRow is a model under the names in records.
type modelRow struct {
	Provider string `ch:"provider"`
	Model    string `ch:"model"`
	Stated   bool   `ch:"stated"`
}

// FindModels returns the models of the report's records, and finds out whether sources state costs.
// FindExceptions must be called before it.
func (b *Report) FindModels(ctx context.Context, r *query.Reader) ([]prices.Named, error) {
	if b.settled != nil {
		return b.settledModels(ctx, r)
	}
	rows, err := query.Ask[modelRow](ctx, r, statements, "models", b.Shape, b.Args)
	if err != nil {
		return nil, err
	}
	models := make([]prices.Named, 0, len(rows))
	providers := map[string]bool{}
	for _, row := range rows {
		b.Shape.StatedCosts = b.Shape.StatedCosts || row.Stated
		providers[row.Provider] = true
		models = append(models, prices.Named{Provider: row.Provider, Model: row.Model})
	}
	if !b.Shape.Careful {
		return models, nil
	}
	// One row of a record may state the provider and another the model.
	for _, row := range rows {
		for provider := range providers {
			models = append(models, prices.Named{Provider: provider, Model: row.Model})
		}
	}
	return models, nil
}
