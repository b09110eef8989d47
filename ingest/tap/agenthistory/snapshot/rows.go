package snapshot

import (
	"cmp"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// DB is a consistent state of a database. It is for one goroutine, and valid only while Read calls
// its function.
type DB struct {
	conn       *sqlite3.Conn
	statements map[string]*sqlite3.Stmt
	rest       int64 // bytes that may still be read
}

// A read may return growth times the size of the files, plus slack, bytes. Rows take space in the
// files, so more bytes come only from pages that are linked in loops.
const (
	growth = 4
	slack  = 16 << 20
)

// Row is a row of a result. It is valid until the next one is read.
type Row struct{ values []any }

// Each calls see with each row of a statement. Arguments are string and int64.
func (d *DB) Each(statement string, see func(*Row) error, args ...any) error {
	var s *sqlite3.Stmt
	r := &Row{}
	err := guard(func() (err error) {
		if s, err = d.prepared(statement); err == nil {
			r.values = make([]any, s.ColumnCount())
			err = bind(s, args)
		}
		return err
	})
	for err == nil {
		var more bool
		if more, err = d.next(s, r); !more {
			break
		}
		err = see(r)
	}
	if s == nil {
		return err
	}
	// Reset returns the error of the last row again.
	return cmp.Or(err, guard(s.Reset))
}

// prepared compiles a statement once and returns it.
func (d *DB) prepared(statement string) (*sqlite3.Stmt, error) {
	if s := d.statements[statement]; s != nil {
		return s, nil
	}
	s, _, err := d.conn.Prepare(statement)
	if err == nil {
		d.statements[statement] = s
	}
	return s, err
}

func bind(s *sqlite3.Stmt, args []any) (err error) {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			err = s.BindText(i+1, v)
		case int64:
			err = s.BindInt64(i+1, v)
		default:
			err = fmt.Errorf("argument %d is a %T", i+1, arg)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next reads the next row. It returns false after the last.
func (d *DB) next(s *sqlite3.Stmt, r *Row) (more bool, err error) {
	err = guard(func() error {
		if more = s.Step(); !more {
			return s.Err()
		}
		return s.ColumnsRaw(r.values...)
	})
	if err != nil || !more {
		return false, err
	}
	d.rest--
	for _, v := range r.values {
		if text, ok := v.([]byte); ok {
			d.rest -= int64(len(text))
		}
	}
	if d.rest < 0 {
		return false, foreign("its rows are larger than the file")
	}
	return true, nil
}

// Bytes returns a text or blob, empty for null and numbers. It is valid as long as the row.
func (r *Row) Bytes(i int) []byte {
	text, _ := r.values[i].([]byte)
	return text
}

// Text is Bytes as a string.
func (r *Row) Text(i int) string { return string(r.Bytes(i)) }

// Int returns an integer, 0 for null and other types.
func (r *Row) Int(i int) int64 {
	n, _ := r.values[i].(int64)
	return n
}
