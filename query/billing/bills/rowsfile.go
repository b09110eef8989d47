package bills

import (
	"context"
	"io"
)

// rowsAtOnce is the number of rows that one statement reads for a file.
const rowsAtOnce = 4096

// WriteRows writes the canonical text of the rows of a bill, whose SHA-256 is RowsHash, and calls
// visit, which may be nil, with each row. It reads the rows with several statements, so that no
// statement stays open while a slow writer blocks.
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
