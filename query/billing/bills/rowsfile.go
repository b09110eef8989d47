package bills

import (
	"context"
	"io"
)

// rowsAtOnce is how many rows of a file are read at a time.
const rowsAtOnce = 4096

// WriteRows writes the canonical text of the rows of a bill, whose SHA-256 is RowsHash, and
// calls a function with each row, which may be nil. It reads rows in parts, so that no
// statement waits while the writer takes its time.
func (s *Store) WriteRows(ctx context.Context, tenant string, b *Bill, w io.Writer, visit func(*Row)) error {
	if _, err := w.Write(Head()); err != nil {
		return err
	}
	var lines []byte
	for from := uint64(0); from < b.Rows; from += rowsAtOnce {
		lines = lines[:0]
		err := s.Rows(ctx, tenant, b, from, rowsAtOnce, func(row *Row) error {
			lines = row.AppendTo(lines)
			if visit != nil {
				visit(row)
			}
			return nil
		})
		if err == nil {
			_, err = w.Write(lines)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
