package search

import (
	"context"

	"golang.org/x/sync/semaphore"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
)

// Bounds of the texts that are in memory at one time.
const (
	shortBytes = 64 << 10 // shorter texts of a step are read with one statement
	batchBytes = 8 << 20  // longer texts per statement; at least one text
	heldBytes  = 64 << 20 // texts of all searches of the process; at least one text
)

// held limits the bytes of texts that all searches hold in memory.
var held = semaphore.NewWeighted(heldBytes)

// texts holds the texts that were read for candidates.
type texts struct {
	*search
	sessions map[string]*sessionstreams.Row
	found    map[factKey]*Hit
	long     map[factKey]*foundRow // long rows whose texts are not read yet
}

// read reads the texts of candidates and matches them. Unless whole is set, it leaves out long
// texts and records them in long.
func (t *texts) read(ctx context.Context, list []candidate, bytes int64, whole bool) error {
	if err := held.Acquire(ctx, min(bytes, heldBytes)); err != nil {
		return err
	}
	defer held.Release(min(bytes, heldBytes))
	for _, ofSpan := range []bool{false, true} {
		var of []candidate
		for _, c := range list {
			if c.OfSpan == ofSpan && t.sessions[c.Session] != nil {
				of = append(of, c)
			}
		}
		if len(of) == 0 {
			continue
		}
		statement := "messages_found"
		if ofSpan {
			statement = "errors_found"
		}
		a, days := parameters(t.Tenant, of, t.sessions)
		for _, name := range t.asked.shape.Phrases {
			a[name] = t.asked.args[name]
		}
		a["short"] = shortBytes
		err := query.Each(ctx, t.r, statements, statement, foundShape{days, whole, t.asked.shape.Phrases}, a,
			func(row *foundRow) error {
				key := factKey{ofSpan, row.Session, row.Fact}
				if !whole && row.Size > shortBytes {
					t.long[key] = row
				} else if hit := t.hit(row, t.sessions[row.Session]); hit != nil {
					t.found[key] = hit
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// batch returns the next candidates with long texts that are read with one statement, their size in
// bytes, and the number of candidates before the next batch.
func (t *texts) batch(list []candidate) (of []candidate, bytes int64, next int) {
	for i, c := range list {
		row := t.long[c.key()]
		if row == nil || row.Stream != c.Stream || row.Seq != c.Seq {
			continue
		}
		if len(of) > 0 && bytes+int64(row.Size) > batchBytes {
			return of, bytes, i
		}
		of, bytes = append(of, c), bytes+int64(row.Size)
		delete(t.long, c.key())
	}
	return of, bytes, len(list)
}
