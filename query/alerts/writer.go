package alerts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
)

// Settle is how long after its version was chosen an alert can be read at the latest: all that is stored with a version
// that is lower than the highest one by more is known to who has read that.
const Settle = time.Minute

// writeTimeout ends an insert. It is shorter than Settle.
const writeTimeout = 30 * time.Second

// Writer stores the begin and the end of alerts. Each has a version, which is higher than those of all that were stored
// before: ns since 1970, or one more than the last one where the clock is behind it. Of all servers one writes at a time.
// It is safe for use by many goroutines.
type Writer struct {
	reader *query.Reader

	mu   sync.Mutex // guards last, and is held while an alert is stored: so alerts can be read in the order of their versions
	last uint64     // the highest version
}

// NewWriter returns a writer, which continues after what is stored.
func NewWriter(ctx context.Context, r *query.Reader) (*Writer, error) {
	last, err := Newest(ctx, r)
	return &Writer{reader: r, last: last}, err
}

// Write stores an alert as it is at the present: its begin, or its end.
func (w *Writer) Write(ctx context.Context, a *evaluate.Alert) error {
	ended := time.Unix(0, 0)
	if a.Ended != nil {
		ended = *a.Ended
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = max(w.last+1, uint64(w.reader.Now()))
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := w.reader.Insert(ctx, statements.Must("insert_alerts", nil), a.Tenant, a.Session, a.Stream, a.ID, w.last, a.Rule, string(a.Kind), a.Key,
		query.Text(a.SpanID), query.Text(a.SpanName), query.Text(a.Position), query.Text(a.Per), query.Text(a.Value), query.Text(a.Period), a.Detail, a.Began, ended)
	if err != nil {
		return fmt.Errorf("write alert %s: %w", a.ID, err)
	}
	return nil
}
