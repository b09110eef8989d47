package rollup

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"tapedeck/internal/failpoint"
	"tapedeck/query"
	"tapedeck/query/pricing/prices"
)

const (
	// rebuildShare is the share of a batch's sessions, as 1/rebuildShare, that must be unsettled
	// before the batch is written anew. A batch older than rebuildAge is written anew for fewer.
	rebuildShare = 50
	rebuildAge   = 5 * time.Minute
	// retiredFor is how long a replaced batch is kept for statements that still read it. Batches
	// that no settlement names are removed after abandonedFor.
	retiredFor   = 10 * time.Minute
	abandonedFor = time.Hour
	// changedMost bounds the changed sessions that are examined one by one. If there are more, all
	// usage is settled anew.
	changedMost = 1_000_000
)

// Settler settles usage. Several Settlers, in any number of processes, may run concurrently: each
// settlement is complete by itself, and the last one counts.
type Settler struct {
	reader *query.Reader
	log    *slog.Logger
	now    func() time.Time
}

// The steps of a settlement, by their names for package failpoint.
const (
	stepRows      = "rollup: rows"      // a batch is written
	stepCosts     = "rollup: costs"     // the costs of a batch are written
	stepCommitted = "rollup: committed" // the settlement is written
)

// NewSettler returns a settler. It computes costs by the reader's current price table.
func NewSettler(r *query.Reader, log *slog.Logger) *Settler {
	return &Settler{reader: r, log: log, now: time.Now}
}

// Run settles at an interval until the context ends.
func (s *Settler) Run(ctx context.Context, every time.Duration) {
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		began := time.Now()
		err := s.Settle(ctx)
		if ctx.Err() != nil {
			return
		}
		observe(time.Since(began), err)
		switch {
		case err != nil && !failed:
			s.log.Warn(
				"usage: not settled; reports and lists by cost read more from the tables and are slower until it is, with the same answers",
				"error", err, "retry_in", every)
		case err == nil && failed:
			s.log.Info("usage: settled again")
		}
		failed = err != nil
	}
}

// work is a settlement in progress.
type work struct {
	*Settler
	after   uint64 // the id of the last settlement, valid or not
	next    *Settlement
	prices  *prices.Effective
	pending []session
	written []Batch // batches that replace others or are new
	before  []Batch // batches that they replace
	changed bool
}

// Settle settles the usage that changed since the last settlement, if there is enough of it.
func (s *Settler) Settle(ctx context.Context) error {
	stored, err := readState(ctx, s.reader, "")
	if err != nil || stored.identity == "" {
		return err
	}
	table, err := s.reader.Prices(ctx, "")
	if err != nil {
		return fmt.Errorf("read the price table: %w", err)
	}
	w := &work{Settler: s, prices: table, after: stored.id,
		next: &Settlement{Form: form, Identity: stored.identity, Blocks: stored.blocks}}
	deleting, err := query.Ask[session](ctx, s.reader, statements, "unfinished", nil, nil)
	if err != nil {
		return err
	}
	months, err := w.plan(ctx, stored)
	if err != nil {
		return err
	}
	w.pend(deleting)
	unsettledSessions.Set(float64(len(w.pending)))
	for _, month := range slices.Sorted(maps.Keys(months)) {
		if err := w.writeMonth(ctx, month, months[month]); err != nil {
			return err
		}
	}
	for i := range w.next.Batches {
		if err := w.price(ctx, &w.next.Batches[i]); err != nil {
			return err
		}
	}
	if !w.changed {
		if stored.last == nil {
			return nil
		}
		return w.clean(ctx, stored.last)
	}
	if err := w.findAmbiguous(ctx); err != nil {
		return err
	}
	if last, err := w.commit(ctx); err != nil || !last {
		return err
	}
	if err := failpoint.Reach(ctx, stepCommitted); err != nil {
		return err
	}
	return w.clean(ctx, w.next)
}

// monthRow is a month with usage.
type monthRow struct {
	Month   uint32   `ch:"month"`
	Tenants []string `ch:"tenants"`
}

// plan returns the months to write, with their tenants. The other months keep their batches.
func (w *work) plan(ctx context.Context, stored *state) (map[uint32][]string, error) {
	if stored.last == nil {
		all, err := w.allMonths(ctx)
		w.changed = len(all) > 0
		return all, err
	}
	changed, err := stored.unsettled(ctx, w.reader, "", changedMost)
	if err != nil {
		return nil, err
	}
	w.next.Retired = slices.DeleteFunc(stored.last.Retired, func(r retired) bool {
		return w.since(r.At) > abandonedFor
	})
	if all := slices.ContainsFunc(changed, session.isTenant); all || len(changed) >= changedMost {
		if all && !slices.ContainsFunc(stored.last.Batches, func(b Batch) bool {
			return w.since(b.Created) > rebuildAge
		}) {
			w.next.Batches, w.pending = stored.last.Batches, changed
			return nil, nil // a tenant is being deleted
		}
		w.before, w.changed = stored.last.Batches, true
		return w.allMonths(ctx)
	}
	of, err := w.monthsOf(ctx, stored.last, changed)
	if err != nil {
		return nil, err
	}
	due := w.due(stored.last, of)
	w.pending = slices.DeleteFunc(changed, func(c session) bool {
		return !slices.ContainsFunc(of[c], func(m uint32) bool { return !due[m] })
	})
	// Sessions without usage, and sessions whose usage was removed, are in no batch. A settlement
	// with unchanged batches settles them.
	w.changed = len(due) > 0 || len(w.pending) < len(changed)
	for _, b := range stored.last.Batches {
		if due[b.Month] {
			w.before = append(w.before, b)
			continue
		}
		w.next.Batches = append(w.next.Batches, b)
	}
	if len(due) == 0 {
		return nil, nil
	}
	all, err := w.allMonths(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(m uint32, _ []string) bool { return !due[m] })
	for m := range due {
		if all[m] == nil {
			all[m] = []string{} // all usage of the month was deleted
		}
	}
	return all, nil
}

// allMonths returns the months with usage, and the tenants that have usage in each.
func (w *work) allMonths(ctx context.Context) (map[uint32][]string, error) {
	rows, err := query.Ask[monthRow](ctx, w.reader, statements, "all_months", nil, nil)
	if err != nil {
		return nil, err
	}
	all := map[uint32][]string{}
	for _, row := range rows {
		all[row.Month] = row.Tenants
	}
	return all, nil
}

// due returns the months to write anew: months with many unsettled sessions, and months whose batch
// is old.
func (w *work) due(last *Settlement, of map[session][]uint32) map[uint32]bool {
	unsettled := map[uint32]uint64{}
	for _, months := range of {
		for _, m := range months {
			unsettled[m]++
		}
	}
	due := map[uint32]bool{}
	for m, n := range unsettled {
		i := slices.IndexFunc(last.Batches, func(b Batch) bool { return b.Month == m })
		due[m] = i < 0 || n*rebuildShare >= last.Batches[i].Sessions || w.since(last.Batches[i].Created) > rebuildAge
	}
	maps.DeleteFunc(due, func(_ uint32, is bool) bool { return !is })
	return due
}

func (s *Settler) since(ns int64) time.Duration { return s.now().Sub(time.Unix(0, ns)) }

// pend adds sessions to the list of pending sessions.
func (w *work) pend(sessions []session) {
	if len(sessions) == 0 {
		return
	}
	known := make(map[session]bool, len(w.pending))
	for _, s := range w.pending {
		known[s] = true
	}
	for _, s := range sessions {
		if !known[s] {
			known[s], w.pending = true, append(w.pending, s)
		}
	}
}

// commit writes the settlement, unless another one was written since this one began: the batches
// that the other replaced are about to be removed, and this settlement may name them. It reports
// whether this settlement is now the last one.
func (w *work) commit(ctx context.Context) (bool, error) {
	for _, b := range w.before {
		w.next.retire("settled_usage", b.ID, w.now())
		w.next.retire("settled_sessions", b.ID, w.now())
		w.next.retireCosts(b.Costs, w.now())
	}
	content, err := json.Marshal(w.next)
	if err != nil {
		return false, err
	}
	tenants, ids := make([]string, len(w.pending)), make([]string, len(w.pending))
	for i, p := range w.pending {
		tenants[i], ids[i] = p.Tenant, p.ID
	}
	id := max(uint64(w.now().UnixNano()), w.after+1)
	err = query.Exec(ctx, w.reader, statements, "commit", nil,
		query.Args{"id": id, "after": w.after, "content": string(content), "tenants": tenants, "sessions": ids})
	if err != nil {
		return false, err
	}
	last, err := query.AskOne[struct {
		ID uint64 `ch:"id"`
	}](ctx, w.reader, statements, "last", nil, nil)
	return last.ID == id, err
}

func (s *Settlement) retire(table, batch string, at time.Time) {
	if batch != "" {
		s.Retired = append(s.Retired, retired{table, batch, at.UnixNano()})
	}
}

func (s *Settlement) retireCosts(batch string, at time.Time) {
	for _, table := range costTables {
		s.retire(table, batch, at)
	}
}

// newID returns the id of a batch that is started at a time.
func newID(month uint32, at time.Time) string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return strconv.FormatUint(uint64(month), 10) + "-" + strconv.FormatInt(at.UnixNano(), 10) + "-" +
		hex.EncodeToString(random)
}
