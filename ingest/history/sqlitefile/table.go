package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrMissing reports a table or a column that the database does not have.
var ErrMissing = errors.New("missing")

// Table is a table of a File.
type Table struct {
	Name    string
	Columns []string
	file    *File
	root    uint32
}

// Types of the pages of a table.
const (
	pageInner = 5
	pageLeaf  = 13
)

// maxDepth bounds the pages between the root of a table and a row.
const maxDepth = 32

// Table returns a table. The error is ErrMissing if there is none with this name.
func (f *File) Table(name string) (*Table, error) {
	schema := &Table{Name: "sqlite_schema", file: f, root: 1}
	var found *Table
	err := schema.Scan(func(r *Row) error {
		if kind, err := r.Text(0); err != nil || kind != "table" {
			return err
		}
		if n, err := r.Text(1); err != nil || !strings.EqualFold(n, name) {
			return err
		}
		root, err := r.Int(3)
		if err != nil {
			return err
		}
		sql, err := r.Text(4)
		if err == nil {
			found = &Table{Name: name, Columns: columnsOf(sql), file: f, root: uint32(root)}
		}
		return err
	})
	if err == nil && found == nil {
		err = fmt.Errorf("table %s: %w", name, ErrMissing)
	}
	return found, err
}

// Column returns the index of a column. The error is ErrMissing if there is none.
func (t *Table) Column(name string) (int, error) {
	i := slices.IndexFunc(t.Columns, func(c string) bool { return strings.EqualFold(c, name) })
	if i < 0 {
		return 0, fmt.Errorf("column %s of table %s: %w", name, t.Name, ErrMissing)
	}
	return i, nil
}

// Scan calls see with each row, in order of their ids. The row is valid during the call.
func (t *Table) Scan(see func(*Row) error) error {
	visits := uint32(0) // no page is visited twice, so that loops of a damaged file end
	return t.scan(t.root, 0, &visits, see)
}

func (t *Table) scan(number uint32, depth int, visits *uint32, see func(*Row) error) error {
	if *visits++; *visits > t.file.pages || depth > maxDepth {
		return fmt.Errorf("%w: the pages of table %s form a loop", ErrFormat, t.Name)
	}
	p, err := t.node(number)
	if err != nil {
		return err
	}
	for i := range p.cells {
		if p.inner {
			child, _, err := p.child(i)
			if err == nil {
				err = t.scan(child, depth+1, visits, see)
			}
			if err != nil {
				return err
			}
			continue
		}
		r, err := p.row(t.file, i)
		if err == nil {
			err = see(r)
		}
		if err != nil {
			return err
		}
	}
	if p.inner {
		return t.scan(p.right, depth+1, visits, see)
	}
	return nil
}

// Row returns the row with an id, nil if there is none. It is valid until the next call.
func (t *Table) Row(id int64) (*Row, error) {
	number := t.root
	for range maxDepth {
		p, err := t.node(number)
		if err != nil {
			return nil, err
		}
		low, high := 0, p.cells // the first cell whose key is not below id
		for low < high {
			mid := (low + high) / 2
			key, err := p.key(mid)
			if err != nil {
				return nil, err
			}
			if key < id {
				low = mid + 1
			} else {
				high = mid
			}
		}
		switch {
		case p.inner && low == p.cells:
			number = p.right
		case p.inner:
			if number, _, err = p.child(low); err != nil {
				return nil, err
			}
		case low == p.cells:
			return nil, nil
		default:
			r, err := p.row(t.file, low)
			if err != nil || r.ID != id {
				return nil, err
			}
			return r, nil
		}
	}
	return nil, fmt.Errorf("%w: the pages of table %s form a loop", ErrFormat, t.Name)
}

// node is a page of a table.
type node struct {
	data  []byte // the page
	inner bool   // its cells lead to other pages
	cells int
	at    int    // of the offsets of the cells
	right uint32 // of an inner page: the page behind its last cell
}

func (t *Table) node(number uint32) (*node, error) {
	data, err := t.file.page(number)
	if err != nil {
		return nil, err
	}
	head := 0
	if number == 1 {
		head = headerSize
	}
	p := &node{data: data[:t.file.usable], inner: data[head] == pageInner, cells: int(binary.BigEndian.Uint16(data[head+3:])), at: head + 8}
	if !p.inner && data[head] != pageLeaf {
		return nil, fmt.Errorf("%w: page %d is not one of table %s", ErrFormat, number, t.Name)
	}
	if p.inner {
		p.right, p.at = binary.BigEndian.Uint32(data[head+8:]), head+12
	}
	if p.at+2*p.cells > len(p.data) {
		return nil, fmt.Errorf("%w: page %d has %d cells", ErrFormat, number, p.cells)
	}
	return p, nil
}

// cell returns the bytes from the begin of a cell to the end of the page.
func (p *node) cell(i int) ([]byte, error) {
	at := int(binary.BigEndian.Uint16(p.data[p.at+2*i:]))
	if at < p.at || at >= len(p.data) {
		return nil, fmt.Errorf("%w: a cell lies outside of its page", ErrFormat)
	}
	return p.data[at:], nil
}

// child returns the page of a cell of an inner page, and the largest id there.
func (p *node) child(i int) (page uint32, key int64, err error) {
	c, err := p.cell(i)
	if err != nil {
		return 0, 0, err
	}
	if len(c) < 5 {
		return 0, 0, fmt.Errorf("%w: a cell is cut off", ErrFormat)
	}
	n, size := varint(c[4:])
	if size == 0 {
		return 0, 0, fmt.Errorf("%w: a cell is cut off", ErrFormat)
	}
	return binary.BigEndian.Uint32(c), int64(n), nil
}

// key returns the id of a cell.
func (p *node) key(i int) (int64, error) {
	if p.inner {
		_, key, err := p.child(i)
		return key, err
	}
	c, err := p.cell(i)
	if err != nil {
		return 0, err
	}
	_, first := varint(c)
	id, second := varint(c[first:])
	if first == 0 || second == 0 {
		return 0, fmt.Errorf("%w: a cell is cut off", ErrFormat)
	}
	return int64(id), nil
}
