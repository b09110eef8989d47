package bills

import (
	"context"
	"encoding/binary"
	"encoding/hex"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
)

type fingerprintRow struct {
	Period      uint32   `ch:"period_index"`
	Fingerprint uint64   `ch:"fingerprint"`
	Providers   []string `ch:"providers"` // of models, one for each
	Models      []string `ch:"models"`
}

// fingerprints returns a fingerprint for each period. It changes when the stored charges of the
// period or of earlier ones change, and when the prices of its models in the price table change.
func (c *computation) fingerprints(ctx context.Context, periods []Period) ([]string, error) {
	ends := make([]int64, len(periods))
	for i := range periods {
		ends[i] = periods[i].End.UnixNano()
	}
	rows, err := query.Ask[fingerprintRow](ctx, c.store.reader, statements, "fingerprints", nil,
		query.Args{"tenant": c.tenant, "ends": ends, "last": ends[len(ends)-1]})
	if err != nil {
		return nil, err
	}
	sums, models := make([]uint64, len(periods)), make([][]prices.Named, len(periods))
	for _, row := range rows {
		for i := int(row.Period); i < len(sums); i++ {
			sums[i] ^= row.Fingerprint
		}
		for i := range row.Models {
			models[row.Period] = append(models[row.Period],
				prices.Named{Provider: row.Providers[i], Model: row.Models[i]})
		}
	}
	texts := make([]string, len(periods))
	for i, sum := range sums {
		p := &periods[i]
		texts[i] = hex.EncodeToString(binary.BigEndian.AppendUint64(nil, sum)) + "-" +
			c.table.Digest(c.tenant, models[i], p.Start, p.End)
	}
	return texts, nil
}
