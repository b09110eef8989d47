package toolreport

import (
	"context"
	"sync"
	"time"

	"tapedeck/query"
)

// Bounds of the cache of a Usuals.
const (
	usualsKept = time.Minute
	usualsMost = 10_000 // tools of all tenants
)

// Usuals keeps for a minute how long the calls of tools take, for all readers of a process: to read it adds up
// the calls of 30 days. It is safe for use by many goroutines. A nil Usuals keeps nothing.
type Usuals struct {
	mu    sync.Mutex // guards known
	known map[usualKey]usualEntry
}

type usualKey struct{ tenant, tool string }

type usualEntry struct {
	Usual
	enough bool // the tool has enough calls
	until  time.Time
}

// NewUsuals returns an empty cache.
func NewUsuals() *Usuals { return &Usuals{known: map[usualKey]usualEntry{}} }

// Read returns what ReadUsual does, from the cache where it has a tool.
func (u *Usuals) Read(ctx context.Context, r *query.Reader, tenant string, tools map[string]bool) (map[string]Usual, error) {
	if u == nil {
		return ReadUsual(ctx, r, tenant, tools)
	}
	now := query.Instant(r.Now())
	found, missing := u.lookUp(tenant, tools, now)
	if len(missing) == 0 {
		return found, nil
	}
	read, err := ReadUsual(ctx, r, tenant, missing)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.known)+len(missing) > usualsMost {
		clear(u.known)
	}
	for tool := range missing {
		times, enough := read[tool]
		u.known[usualKey{tenant, tool}] = usualEntry{times, enough, now.Add(usualsKept)}
		if enough {
			found[tool] = times
		}
	}
	return found, nil
}

// lookUp returns the tools that are known, and those that are not.
func (u *Usuals) lookUp(tenant string, tools map[string]bool, now time.Time) (found map[string]Usual, missing map[string]bool) {
	found, missing = map[string]Usual{}, map[string]bool{}
	u.mu.Lock()
	defer u.mu.Unlock()
	for tool := range tools {
		switch e, ok := u.known[usualKey{tenant, tool}]; {
		case !ok || now.After(e.until):
			missing[tool] = true
		case e.enough:
			found[tool] = e.Usual
		}
	}
	return found, missing
}
