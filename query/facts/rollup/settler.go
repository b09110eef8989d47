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
	// A batch that is older than rebuildAge is written anew if any of its sessions changed.
	rebuildAge = 5 * time.Minute
	// retiredFor is how long a replaced batch is kept for statements that still read it. Batches
	// that no settlement names are removed after abandonedFor.
	retiredFor   = 10 * time.Minute
	abandonedFor = time.Hour
	// changedMost bounds the changed sessions that are examined one by one. If there are more, all
	// usage is settled anew.
	changedMost = 1_000_000
	// foldEvery is the interval at which it is examined which months to write anew for the sessions
	// of the recent batch. Each round examines it if these may be enough of the newest month, or more
	// than recentMost.
	foldEvery = time.Minute
	// recentTenants bounds the tenants of the recent batch, since each takes several statements. The
	// changed sessions of others wait for the batches of their months.
	recentTenants = 50
	// turnTime is how long one settlement writes months. The months that are left, the oldest ones,
	// are the next settlement's.
	turnTime = 30 * time.Second
	// quietMost is the longest pause between looks for changes when there are none. pauseShare is how
	// many times the duration of a round the pause after it is, up to pauseMost.
	quietMost  = 30 * time.Second
	pauseShare = 50
	pauseMost  = 30 * time.Second
)

// Tests change these.
var (
	// rebuildShare is the share of a batch's sessions, as 1/rebuildShare, that must have changed
	// before the batch is written anew.
	rebuildShare uint64 = 50
	// recentMost bounds the sessions of the recent batch.
	recentMost = 20_000
)

// Settler settles usage. Several Settlers, in any number of processes, may run concurrently: each
// settlement is complete by itself, and the last one counts.
type Settler struct {
	reader *query.Reader
	log    *slog.Logger
	now    func() time.Time

	// seen is the state at lookedAt (ns), in which there was nothing to settle.
	seen     seen
	lookedAt int64
	cleaned  int64 // when replaced batches were last removed, ns
	// overtaken are the batches of settlements that other processes overtook.
	overtaken []retired
}

// The steps of a settlement, by their names for package failpoint.
const (
	stepRows      = "rollup: rows"      // a batch is written
	stepCosts     = "rollup: costs"     // the costs of a batch are written
	stepInserted  = "rollup: inserted"  // the settlement is written
	stepCommitted = "rollup: committed" // and no other one since
)

// NewSettler returns a settler. It computes costs by the reader's current price table.
func NewSettler(r *query.Reader, log *slog.Logger) *Settler {
	return &Settler{reader: r, log: log, now: time.Now}
}

// Run settles at an interval until the context ends. The interval grows while nothing changes, and
// with the time that settling takes.
func (s *Settler) Run(ctx context.Context, every time.Duration) {
	failed := false
	for pause := every; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		began := time.Now()
		outcome, err := s.settle(ctx)
		if ctx.Err() != nil {
			return
		}
		took := time.Since(began)
		observe(took, err)
		switch {
		case err != nil && !failed:
			s.log.Warn(
				"usage: not settled; reports and lists by cost read more from the tables and are slower until it is, with the same answers",
				"error", err)
		case err == nil && failed:
			s.log.Info("usage: settled again")
		}
		failed = err != nil
		switch {
		case failed:
			pause = max(every, min(2*pause, pauseMost))
		case outcome == overtaken: // another process settles
			pause = max(every, pauseMost)
		case outcome == unchanged:
			pause = max(every, min(2*pause, quietMost))
		default:
			pause = max(every, min(pauseShare*took, pauseMost))
		}
	}
}

// outcome is what a settlement came to.
type outcome int

const (
	unchanged outcome = iota
	written
	overtaken // another settlement was written meanwhile
)

// work is a settlement in progress.
type work struct {
	*Settler
	after    uint64 // the id of the last settlement, valid or not
	next     *Settlement
	prices   *prices.Effective
	deleting map[session]bool
	made     []session // of the recent batch
	pending  []session // that no batch counts
	written  []Batch   // batches of months that replace others or are new
	before   []Batch   // batches of months that are replaced
	own      []stored  // all batches that this settlement wrote
	changed  bool
}

// Settle settles the usage that changed since the last settlement.
func (s *Settler) Settle(ctx context.Context) error {
	_, err := s.settle(ctx)
	return err
}

func (s *Settler) settle(ctx context.Context) (outcome, error) {
	stored, err := readState(ctx, s.reader, "")
	if err != nil || stored.identity == "" {
		return unchanged, err
	}
	table, err := s.reader.Prices(ctx, "")
	if err != nil {
		return unchanged, fmt.Errorf("read the price table: %w", err)
	}
	look := seen{stored.id, fmt.Sprint(stored.blocks), table.Hash(), len(stored.pending)}
	if s.seen == look && look.pending == 0 && s.since(s.lookedAt) < foldEvery {
		return unchanged, nil
	}
	w := &work{Settler: s, prices: table, after: stored.id, deleting: map[session]bool{},
		next: &Settlement{Form: form, Identity: stored.identity, Blocks: stored.blocks, Calls: true}}
	deleting, err := query.Ask[session](ctx, s.reader, statements, "unfinished", nil, nil)
	if err != nil {
		return unchanged, err
	}
	for _, d := range deleting {
		w.deleting[d] = true
	}
	if stored.last == nil {
		err = w.begin(ctx)
	} else {
		err = w.update(ctx, stored)
	}
	w.pend(deleting)
	unsettledSessions.Set(float64(len(w.pending)))
	if err != nil {
		return unchanged, err
	}
	for _, b := range w.next.all() {
		if err := w.price(ctx, b); err != nil {
			return unchanged, err
		}
	}
	if !w.changed {
		s.seen, s.lookedAt = look, s.now().UnixNano()
		if stored.last == nil {
			return unchanged, nil
		}
		return unchanged, w.clean(ctx, stored.last)
	}
	if err := w.findAmbiguous(ctx); err != nil {
		return unchanged, err
	}
	last, err := w.commit(ctx)
	if err != nil {
		return unchanged, err
	}
	if !last {
		w.retireOvertaken()
		return overtaken, nil
	}
	if err := failpoint.Reach(ctx, stepCommitted); err != nil {
		return written, err
	}
	return written, w.clean(ctx, w.next)
}

// seen is a state in which there was nothing to settle.
type seen struct {
	settlement uint64
	blocks     string
	prices     string
	pending    int
}

// monthRow is a month with usage or calls of models or tools.
type monthRow struct {
	Month   uint32   `ch:"month"`
	Tenants []string `ch:"tenants"`
}

// begin writes the batches of all months, the newest first.
func (w *work) begin(ctx context.Context) error {
	if err := w.duplicatesOf(ctx, nil, marking{All: true}); err != nil {
		return err
	}
	all, err := w.allMonths(ctx)
	if err != nil {
		return err
	}
	w.changed, w.next.Folded = w.changed || len(all) > 0, w.now().UnixNano()
	for _, month := range newestFirst(all) {
		if err := w.writeMonth(ctx, month, all[month], nil); err != nil {
			return err
		}
	}
	return nil
}

func newestFirst(months map[uint32][]string) []uint32 {
	list := slices.Sorted(maps.Keys(months))
	slices.Reverse(list)
	return list
}

// update writes the batches that changed since the last settlement.
func (w *work) update(ctx context.Context, stored *state) error {
	last := stored.last
	changed, err := stored.unsettled(ctx, w.reader, "", changedMost)
	if err != nil {
		return err
	}
	w.next.Retired = slices.DeleteFunc(slices.Clone(last.Retired), func(r retired) bool {
		return w.since(r.At) > 2*retiredFor // it is removed, or will be as an abandoned one
	})
	w.next.Folded = last.Folded
	if all := slices.ContainsFunc(changed, session.isTenant); all || len(changed) >= changedMost || !last.Calls {
		if all && !slices.ContainsFunc(last.Batches, func(b Batch) bool {
			return w.since(b.Created) > rebuildAge
		}) {
			// A tenant is being deleted.
			w.next.Batches, w.next.Recent, w.made, w.pending = last.Batches, last.Recent, stored.made, changed
			w.next.Calls = last.Calls
			return nil
		}
		w.before, w.changed = last.Batches, true
		w.replaceRecent(last)
		return w.begin(ctx)
	}
	if tables := stored.changed(); len(tables) > 0 {
		if err := w.duplicatesOf(ctx, changed, marking{Marked: uncounts(tables)}); err != nil {
			return err
		}
	}
	since := union(stored.made, changed) // all that changed since its month was written
	folded, err := w.fold(ctx, last, &since)
	if err != nil {
		return err
	}
	return w.remake(ctx, stored, changed, since, folded)
}

// fold writes the months anew of which enough has changed, and removes from since the sessions that
// their batches have. It reports whether it wrote any or removed any session.
func (w *work) fold(ctx context.Context, last *Settlement, since *[]session) (bool, error) {
	whole := !slices.ContainsFunc(last.Batches, Batch.lacksCharges)
	if whole && (len(*since) == 0 || !w.mayFold(last, len(*since))) {
		w.next.Batches = slices.Clone(last.Batches)
		return false, nil
	}
	began := time.Now()
	w.next.Folded = w.now().UnixNano()
	of, err := w.monthsOf(ctx, last, *since)
	if err != nil {
		return false, err
	}
	due := w.due(last, of)
	months := map[uint32][]string{}
	if len(due) > 0 {
		all, err := w.allMonths(ctx)
		if err != nil {
			return false, err
		}
		for month := range due {
			months[month] = all[month] // none if all usage of the month was deleted
		}
	}
	for _, month := range newestFirst(months) {
		if len(w.written) > 0 && time.Since(began) > turnTime {
			delete(due, month)
			w.next.Folded = 0 // the next settlement goes on
			continue
		}
		if err := w.writeMonth(ctx, month, months[month], keptOf(last, month, *since)); err != nil {
			return false, err
		}
	}
	for _, b := range last.Batches {
		if due[b.Month] {
			w.before = append(w.before, b)
			continue
		}
		w.next.Batches = append(w.next.Batches, b)
	}
	n := len(*since)
	// Sessions without usage, and sessions whose usage was removed, are in no batch.
	*since = slices.DeleteFunc(*since, func(c session) bool {
		return !w.deleting[c] && !slices.ContainsFunc(of[c], func(m uint32) bool { return !due[m] })
	})
	w.changed = w.changed || len(due) > 0 || len(*since) < n
	return w.changed, nil
}

// mayFold reports whether enough may have changed for a month to be written anew.
func (w *work) mayFold(last *Settlement, changed int) bool {
	newest := Batch{}
	for _, b := range last.Batches {
		if b.Month >= newest.Month {
			newest = b
		}
	}
	return w.since(last.Folded) >= foldEvery || changed > recentMost || uint64(changed)*rebuildShare >= max(newest.Sessions, 1)
}

func union(a, b []session) []session {
	known := make(map[session]bool, len(a)+len(b))
	var list []session
	for _, s := range append(slices.Clone(a), b...) {
		if !known[s] {
			known[s], list = true, append(list, s)
		}
	}
	return list
}

// allMonths returns the months with usage or calls of models or tools, and the tenants that have any in
// each.
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

// due returns the months to write anew: months with many unsettled sessions, months whose batch is old
// and changed, and months whose batch an earlier program wrote.
func (w *work) due(last *Settlement, of map[session][]uint32) map[uint32]bool {
	unsettled := map[uint32]uint64{}
	for _, months := range of {
		for _, m := range months {
			unsettled[m]++
		}
	}
	due := map[uint32]bool{}
	for i := range last.Batches {
		due[last.Batches[i].Month] = last.Batches[i].lacksCharges()
	}
	for m, n := range unsettled {
		i := slices.IndexFunc(last.Batches, func(b Batch) bool { return b.Month == m })
		due[m] = due[m] || i < 0 || n*rebuildShare >= last.Batches[i].Sessions ||
			w.since(last.Batches[i].Created) > rebuildAge ||
			len(of) > recentMost
	}
	maps.DeleteFunc(due, func(_ uint32, is bool) bool { return !is })
	return due
}

func (s *Settler) since(ns int64) time.Duration { return s.now().Sub(time.Unix(0, ns)) }

// pend adds to the pending sessions those that are not in the recent batch.
func (w *work) pend(sessions []session) {
	if len(sessions) == 0 {
		return
	}
	known := make(map[session]bool, len(w.pending)+len(w.made))
	for _, s := range append(slices.Clone(w.pending), w.made...) {
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
	for i := range w.before {
		w.next.retireBatch(&w.before[i], w.now())
	}
	w.next.Made = len(w.made)
	content, err := json.Marshal(w.next)
	if err != nil {
		return false, err
	}
	masked := append(slices.Clone(w.made), w.pending...) // in the batches of months
	tenants, ids := make([]string, len(masked)), make([]string, len(masked))
	for i, p := range masked {
		tenants[i], ids[i] = p.Tenant, p.ID
	}
	id := max(uint64(w.now().UnixNano()), w.after+1)
	err = query.Exec(ctx, w.reader, statements, "commit", nil,
		query.Args{"id": id, "after": w.after, "content": string(content), "tenants": tenants, "sessions": ids})
	if err != nil {
		return false, err
	}
	if err := failpoint.Reach(ctx, stepInserted); err != nil {
		return false, err
	}
	last, err := query.AskOne[struct {
		ID uint64 `ch:"id"`
	}](ctx, w.reader, statements, "last", nil, nil)
	return last.ID == id, err
}

// newID returns the id of a batch that is started at a time.
func newID(month uint32, at time.Time) string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return strconv.FormatUint(uint64(month), 10) + "-" + strconv.FormatInt(at.UnixNano(), 10) + "-" +
		hex.EncodeToString(random)
}
