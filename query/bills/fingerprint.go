package bills

import (
	"context"
	"encoding/binary"
	"encoding/hex"

	"tapedeck/query"
)

type fingerprintRow struct {
	Period      uint32 `ch:"period_index"`
	Fingerprint uint64 `ch:"fingerprint"`
}

// fingerprints returns for each period a text that changes with what is stored of the charges
// of it and of those before, and with the price table.
func (c *computation) fingerprints(ctx context.Context, periods []Period) ([]string, error) {
	ends := make([]int64, len(periods))
	for i := range periods {
		ends[i] = periods[i].End.UnixNano()
	}
	tags := append(c.accounts.tags(), c.table.Splits().Tags...)
	rows, err := query.Ask[fingerprintRow](ctx, c.store.reader, statements, "fingerprints", nil,
		query.Args{"tenant": c.tenant, "ends": ends, "last": ends[len(ends)-1], "tags": query.OrEmpty(tags)})
	if err != nil {
		return nil, err
	}
	sums := make([]uint64, len(periods))
	for _, row := range rows {
		for i := int(row.Period); i < len(sums); i++ {
			sums[i] ^= row.Fingerprint
		}
	}
	texts := make([]string, len(periods))
	for i, sum := range sums {
		texts[i] = hex.EncodeToString(binary.BigEndian.AppendUint64(nil, sum)) + "-" + c.table.Hash()[:16]
	}
	return texts, nil
}
