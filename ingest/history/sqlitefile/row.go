package sqlitefile

import (
	"encoding/binary"
	"fmt"
)

// Row is a row of a table. Columns that were added to the table after the row was written are
// null.
type Row struct {
	ID       int64
	file     *File
	size     int64  // of the record, bytes
	record   []byte // its begin; all of it once whole was called
	overflow uint32 // the page with the rest; 0 for none
	columns  []column
}

// column is where the value of a column is in the record.
type column struct {
	kind int64 // serial type
	at   int64
	size int64
}

// maxRecord bounds a row, bytes.
const maxRecord = 256 << 20

// row reads the row of a cell of a leaf.
func (p *node) row(f *File, i int) (*Row, error) {
	c, err := p.cell(i)
	if err != nil {
		return nil, err
	}
	size, first := varint(c)
	id, second := varint(c[first:])
	if first == 0 || second == 0 || size > maxRecord || size > uint64(f.pages)*uint64(f.pageSize) {
		return nil, fmt.Errorf("%w: a row of %d bytes", ErrFormat, size)
	}
	c = c[first+second:]
	r := &Row{ID: int64(id), file: f, size: int64(size)}
	local := int(size)
	if most := f.usable - 35; local > most {
		least := (f.usable-12)*32/255 - 23
		if local = least + (int(size)-least)%(f.usable-4); local > most {
			local = least
		}
		if len(c) < local+4 {
			return nil, fmt.Errorf("%w: a row is cut off", ErrFormat)
		}
		r.overflow = binary.BigEndian.Uint32(c[local:])
	}
	if len(c) < local {
		return nil, fmt.Errorf("%w: a row is cut off", ErrFormat)
	}
	r.record = c[:local:local]
	return r, r.header()
}

// header reads the types of the columns.
func (r *Row) header() error {
	size, n := varint(r.record)
	if n == 0 || int64(size) > r.size {
		return fmt.Errorf("%w: a row without a header", ErrFormat)
	}
	if int64(size) > int64(len(r.record)) {
		if err := r.whole(); err != nil {
			return err
		}
	}
	at := int64(size)
	for head := r.record[n:max(int(size), n)]; len(head) > 0; {
		kind, n := varint(head)
		if n == 0 {
			return fmt.Errorf("%w: the header of a row is cut off", ErrFormat)
		}
		head = head[n:]
		c := column{kind: int64(kind), at: at, size: sizeOf(int64(kind))}
		if c.size < 0 || c.size > r.size-at {
			return fmt.Errorf("%w: a column lies outside of its row", ErrFormat)
		}
		r.columns = append(r.columns, c)
		at += c.size
	}
	return nil
}

// sizeOf returns the bytes of a value by its serial type.
func sizeOf(kind int64) int64 {
	switch {
	case kind >= 12:
		return (kind - 12) / 2
	case kind == 10, kind == 11:
		return -1 // for internal use of SQLite
	case kind < 0:
		return -1
	}
	return [...]int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}[kind]
}

// whole reads the rest of the record.
func (r *Row) whole() error {
	record := make([]byte, 0, r.size)
	record = append(record, r.record...)
	for next := r.overflow; int64(len(record)) < r.size; {
		p, err := r.file.page(next)
		if err != nil {
			return err
		}
		next = binary.BigEndian.Uint32(p)
		record = append(record, p[4:min(int64(r.file.usable), 4+r.size-int64(len(record)))]...)
	}
	r.record = record
	return nil
}

// value returns the bytes of a column.
func (r *Row) value(i int) (column, []byte, error) {
	if i >= len(r.columns) {
		return column{}, nil, nil
	}
	c := r.columns[i]
	if c.at+c.size > int64(len(r.record)) {
		if err := r.whole(); err != nil {
			return c, nil, err
		}
	}
	return c, r.record[c.at : c.at+c.size], nil
}

// Size returns the bytes of a text without reading it.
func (r *Row) Size(i int) int64 {
	if i >= len(r.columns) {
		return 0
	}
	return r.columns[i].size
}

// Bytes returns a text or blob, empty for null and numbers. It is valid as long as the row.
func (r *Row) Bytes(i int) ([]byte, error) {
	c, value, err := r.value(i)
	if c.kind < 12 {
		return nil, err
	}
	return value, err
}

// Text is Bytes as a string.
func (r *Row) Text(i int) (string, error) {
	value, err := r.Bytes(i)
	return string(value), err
}

// Int returns an integer, 0 for null and other types.
func (r *Row) Int(i int) (int64, error) {
	c, value, err := r.value(i)
	switch {
	case err != nil:
		return 0, err
	case c.kind == 9:
		return 1, nil
	case c.kind == 0 || c.kind > 6:
		return 0, nil
	}
	n := int64(int8(value[0]))
	for _, b := range value[1:] {
		n = n<<8 | int64(b)
	}
	return n, nil
}

// varint reads an integer of one to nine bytes, seven bits each and eight in the ninth. The
// size is 0 if it is cut off.
func varint(p []byte) (n uint64, size int) {
	for i, b := range p[:min(len(p), 9)] {
		if i == 8 {
			return n<<8 | uint64(b), 9
		}
		n = n<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
