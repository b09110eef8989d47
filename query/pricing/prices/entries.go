package prices

import (
	"sync"
	"sync/atomic"

	"tapedeck/internal/nearest"
)

// maxEntries bounds the number of cached entries.
const maxEntries = 10_000

// entries caches the table entries of model names, since a lookup tries the table's match rules one
// after another. It is safe for use by many goroutines.
type entries struct {
	found sync.Map // maps entryKey to entry
	count atomic.Int64
}

type entryKey struct{ provider, model string }

type entry struct {
	provider *Provider
	model    *Model
	moved    bool // provider differs from the stated provider
	err      error
}

// of returns the entry of a model in t, which must be the same table in every call.
func (c *entries) of(t *Table, provider, model string) (*Provider, *Model, error) {
	e := c.entry(t, provider, model)
	return e.provider, e.model, e.err
}

func (c *entries) entry(t *Table, provider, model string) entry {
	key := entryKey{provider, model}
	if kept, ok := c.found.Load(key); ok {
		return kept.(entry)
	}
	e := t.charged(provider, model)
	if len(provider)+len(model) <= 2*nearest.MaxBytes && c.count.Add(1) <= maxEntries {
		c.found.Store(key, e)
	}
	return e
}
