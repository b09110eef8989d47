package rollup

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/query"
)

// stored is a batch that is stored.
type stored struct {
	Table string `ch:"table"`
	Batch string `ch:"batch"`
}

// cleanEvery is the interval at which batches are removed.
const cleanEvery = time.Minute

// retireOvertaken retires the batches of a settlement that another one overtook. Statements may read
// them: the settlement counted until the other one was written.
func (w *work) retireOvertaken() {
	for _, of := range w.own {
		w.overtaken = append(w.overtaken, retired{of.Table, of.Batch, w.now().UnixNano()})
	}
}

// clean removes batches that no statement reads any more: batches that were replaced some time ago,
// and batches of a killed settler.
func (w *work) clean(ctx context.Context, s *Settlement) error {
	if w.since(w.cleaned) < cleanEvery {
		return nil
	}
	w.cleaned = w.now().UnixNano()
	rows, err := query.Ask[stored](ctx, w.reader, statements, "partitions", nil,
		query.Args{"tables": slices.Concat(batchTables, costTables)})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !w.mayRemove(s, row) {
			continue
		}
		if err := query.Exec(ctx, w.reader, statements, "drop", row, nil); err != nil {
			return err
		}
	}
	w.overtaken = slices.DeleteFunc(w.overtaken, func(r retired) bool { return w.since(r.At) > retiredFor })
	return nil
}

func (w *work) mayRemove(s *Settlement, row stored) bool {
	if slices.ContainsFunc(s.all(), func(b *Batch) bool {
		if slices.Contains(costTables, row.Table) {
			return b.Costs == row.Batch
		}
		return b.ID == row.Batch
	}) {
		return false
	}
	for _, r := range slices.Concat(s.Retired, w.overtaken) {
		if r.Table == row.Table && r.Batch == row.Batch {
			return w.since(r.At) > retiredFor
		}
	}
	age := abandonedFor
	parts := strings.Split(row.Batch, "-")
	if len(parts) == 3 {
		if ns, err := strconv.ParseInt(parts[1], 10, 64); err == nil {
			return w.now().Sub(time.Unix(0, ns)) > age
		}
	}
	return false // not a batch of this package
}
