package bills

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// insertRows is the number of rows of one insert.
const insertRows = 32 << 10

// writer inserts rows while the next ones are computed.
type writer struct {
	conn   driver.Conn
	tenant string
	bill   *Bill
	size   int // rows per insert
	rows   *columns
	free   chan *columns
	full   chan *columns
	failed chan error // closed when all rows are inserted
}

func newWriter(ctx context.Context, conn driver.Conn, size int, tenant string, b *Bill) *writer {
	w := &writer{conn: conn, size: size, tenant: tenant, bill: b, rows: &columns{}, free: make(chan *columns, 2),
		full: make(chan *columns), failed: make(chan error, 1)}
	w.free <- &columns{}
	go w.run(ctx)
	return w
}

// run inserts rows until full is closed. After an error it inserts nothing.
func (w *writer) run(ctx context.Context) {
	defer close(w.failed)
	var failed error
	for rows := range w.full {
		if failed == nil {
			if failed = w.insert(ctx, rows); failed != nil {
				w.failed <- failed
			}
		}
		rows.reset()
		w.free <- rows
	}
}

func (w *writer) insert(ctx context.Context, rows *columns) error {
	batch, err := w.conn.PrepareBatch(ctx, statements.Must("insert_bill_rows", nil))
	if err != nil {
		return fmt.Errorf("store rows of a bill: %w", err)
	}
	defer batch.Close()
	for i, column := range rows.values() {
		if err := batch.Column(i).Append(column); err != nil {
			return fmt.Errorf("store rows of a bill: column %d: %w", i, err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("store rows of a bill: %w", err)
	}
	return nil
}

// add adds a row to the next insert.
func (w *writer) add(r *Row) error {
	w.rows.add(w.tenant, w.bill, r)
	if len(w.rows.ordinal) < w.size {
		return nil
	}
	select {
	case err := <-w.failed:
		return err
	case w.full <- w.rows:
		w.rows = <-w.free
		return nil
	}
}

// close inserts the remaining rows and waits for all inserts. It must be called exactly once, even
// after an error.
func (w *writer) close(complete bool) error {
	if complete && len(w.rows.ordinal) > 0 {
		w.full <- w.rows
	}
	close(w.full)
	var first error
	for err := range w.failed {
		first = err
	}
	return first
}
