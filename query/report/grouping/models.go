package grouping

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
)

// modelRow is a model as records name it.
type modelRow struct {
	Provider string `ch:"provider"`
	Model    string `ch:"model"`
	Stated   bool   `ch:"stated"`
}

// FindModels returns the models that the report's records may be of, and looks for costs that
// sources state. It comes after FindExceptions.
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
	// Rows of one record may name the provider and the model apart.
	for _, row := range rows {
		for provider := range providers {
			models = append(models, prices.Named{Provider: provider, Model: row.Model})
		}
	}
	return models, nil
}
