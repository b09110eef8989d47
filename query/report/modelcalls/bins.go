package modelcalls

import (
	"context"
	"math"

	"tapedeck/query"
)

// Distributions are the histograms of the calls' figures.
type Distributions struct {
	FirstTokenMS    []Bin `json:"first_token_ms"`
	DurationMS      []Bin `json:"duration_ms"`
	LongestGapMS    []Bin `json:"longest_gap_ms"`
	TokensPerSecond []Bin `json:"tokens_per_second"`
}

// Bin counts the calls whose figure is in [From, To). Bins are quarters of a decade, from the
// lowest to the highest bin with calls, including empty ones. Figures below 0.001 count in the
// lowest bin.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Calls uint64  `json:"calls"`
}

type binRow struct {
	Figure string `ch:"figure"`
	Bin    int32  `ch:"bin"`
	Calls  uint64 `ch:"calls"`
}

func readDistributions(ctx context.Context, r *query.Reader, a *asked) (*Distributions, error) {
	rows, err := ask[binRow](ctx, r, a, "calls_bins")
	if err != nil {
		return nil, err
	}
	d := &Distributions{[]Bin{}, []Bin{}, []Bin{}, []Bin{}}
	lists := map[string]*[]Bin{
		"first_token_ms": &d.FirstTokenMS, "duration_ms": &d.DurationMS,
		"longest_gap_ms": &d.LongestGapMS, "tokens_per_second": &d.TokensPerSecond,
	}
	last := map[string]int32{}
	for _, row := range rows {
		list := lists[row.Figure]
		from := row.Bin
		if len(*list) > 0 {
			from = last[row.Figure] + 1
		}
		for n := from; n <= row.Bin; n++ {
			*list = append(*list, Bin{From: edge(n), To: edge(n + 1)})
		}
		(*list)[len(*list)-1].Calls, last[row.Figure] = row.Calls, row.Bin
	}
	return d, nil
}

// edge returns the lower bound of a bin, rounded to three digits.
func edge(n int32) float64 {
	exact := math.Pow(10, float64(n)/4)
	scale := math.Pow(10, math.Floor(float64(n)/4)-2)
	if scale < 1 {
		return math.Round(exact/scale) / math.Round(1/scale)
	}
	return math.Round(exact/scale) * scale
}
