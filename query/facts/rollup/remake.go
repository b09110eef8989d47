package rollup

import (
	"context"
	"slices"
)

// remake writes the recent batch anew if one of its sessions changed. since are the sessions that
// changed since the batches of their months were written.
func (w *work) remake(ctx context.Context, stored *state, changed, since []session, folded bool) error {
	var recent []session
	if len(since) <= recentMost {
		recent = w.recentOf(stored.made, since)
	}
	in := make(map[session]bool, len(recent))
	for _, s := range recent {
		in[s] = true
	}
	whole := stored.last.Recent == nil || !stored.last.Recent.lacksCharges()
	if whole && !folded && !slices.ContainsFunc(changed, func(s session) bool { return in[s] }) {
		w.next.Recent, w.made, w.pending = stored.last.Recent, stored.made, changed
		return nil
	}
	w.changed = true
	w.replaceRecent(stored.last)
	w.pending = slices.DeleteFunc(slices.Clone(since), func(s session) bool { return in[s] })
	w.made = recent
	return w.writeRecent(ctx, recent)
}

// recentOf returns the sessions for the recent batch: those of a bounded number of tenants that are
// not being deleted.
func (w *work) recentOf(before, since []session) (list []session) {
	tenants := map[string]bool{}
	for _, s := range append(slices.Clone(before), since...) {
		if len(tenants) < recentTenants {
			tenants[s.Tenant] = true
		}
	}
	for _, s := range since {
		if tenants[s.Tenant] && !w.deleting[s] {
			list = append(list, s)
		}
	}
	return list
}

// replaceRecent retires the recent batch of a settlement.
func (w *work) replaceRecent(last *Settlement) {
	if last.Recent == nil {
		return
	}
	w.next.retireBatch(last.Recent, w.now())
}
