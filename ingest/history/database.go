package history

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"tapedeck/ingest/history/sqlitefile"
)

// OpenCode keeps its sessions in a database since version 1.2: a row of the table session
// describes a session, one of message a message and one of part a part of one. The column data
// of the latter two is the object that a file of the storage had, without its ids.

// isDatabase reports whether a name is that of a database of OpenCode. Builds other than releases
// have one of their own.
func isDatabase(name string) bool {
	of, _ := filepath.Match("opencode-*.db", name)
	return of || name == "opencode.db"
}

// Reasons for which sessions of a database are not recorded.
var (
	errWriting   = errors.New("OpenCode wrote to it each time that it was read; the next sync reads it")
	errOpenCode2 = errors.New("its sessions of OpenCode 2 are in tables that are not read; \"opencode export\" writes them as JSON")
)

// attempts is how often a database is read again after OpenCode overwrote what was being read,
// with a pause before each.
const (
	attempts     = 5
	attemptPause = 20 * time.Millisecond
)

// withDatabase opens a database and calls read, again if the database has changed meanwhile so
// that what was read does not count.
func withDatabase(path string, read func(*tables) error) error {
	for attempt := range attempts {
		if attempt > 0 {
			time.Sleep(attemptPause)
		}
		f, err := sqlitefile.Open(path)
		if errors.Is(err, sqlitefile.ErrBusy) {
			continue
		}
		if err != nil {
			return databaseError(err)
		}
		t, err := openTables(f)
		if err == nil {
			err = read(t)
		}
		unchanged := f.Unchanged()
		f.Close()
		if unchanged {
			return databaseError(err)
		}
	}
	return errWriting
}

// databaseError marks a database that is not one of OpenCode.
func databaseError(err error) error {
	if errors.Is(err, sqlitefile.ErrFormat) || errors.Is(err, sqlitefile.ErrMissing) {
		return &foreignError{fmt.Errorf("not a database of OpenCode: %w", err)}
	}
	return err
}

// tables are the tables of OpenCode's database.
type tables struct {
	file                   *sqlitefile.File
	session, message, part table
}

// table is a table with the columns that are read.
type table struct {
	*sqlitefile.Table
	columns map[string]int
}

func openTables(f *sqlitefile.File) (*tables, error) {
	t := &tables{file: f}
	for _, of := range []struct {
		table   *table
		name    string
		columns []string
	}{
		{&t.session, "session", []string{"id", "project_id", "parent_id", "directory", "title", "version", "time_created", "time_updated"}},
		{&t.message, "message", []string{"id", "session_id", "time_created", "time_updated", "data"}},
		{&t.part, "part", []string{"id", "message_id", "session_id", "time_updated", "data"}},
	} {
		found, err := f.Table(of.name)
		if err != nil {
			return nil, err
		}
		*of.table = table{found, map[string]int{}}
		for _, c := range of.columns {
			if of.table.columns[c], err = found.Column(c); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// row reads columns of a row. The first failure is kept.
type row struct {
	*sqlitefile.Row
	table *table
	err   error
}

func (r *row) text(column string) string {
	value, err := r.Text(r.table.columns[column])
	r.err = cmp.Or(r.err, err)
	return value
}

func (r *row) int(column string) int64 {
	value, err := r.Int(r.table.columns[column])
	r.err = cmp.Or(r.err, err)
	return value
}

// each calls see with each row of a table.
func (t *table) each(see func(*row)) error {
	return t.Scan(func(found *sqlitefile.Row) error {
		r := row{Row: found, table: t}
		see(&r)
		return r.err
	})
}

// sessionRows are the rows of a session.
type sessionRows struct {
	database, id    string // path, and the id of the session
	session         int64
	messages, parts []int64
	last            lastMessage
}

// lastMessage is the last message of a session, by time and id.
type lastMessage struct {
	row, created int64
	id           string
}

// database collects the sessions in a database of OpenCode. It reads all rows, but of their data
// only the size.
func (f *finder) database(path string) {
	var found []*Source
	parents := map[string]string{}
	newer := false
	err := withDatabase(path, func(t *tables) (err error) {
		clear(parents)
		found, err = t.sources(path, parents)
		if second, missing := t.file.Table("session_v2"); missing == nil {
			err = cmp.Or(err, second.Scan(func(*sqlitefile.Row) error { newer = true; return nil }))
		}
		return err
	})
	if err != nil {
		f.skip(path, err)
		return
	}
	if newer {
		f.skip(path, errOpenCode2)
	}
	for _, s := range found {
		if first := f.openCode[s.name]; first == nil {
			f.openCode[s.name] = s
			f.sources = append(f.sources, s)
		} else if s.Modified.After(first.Modified) {
			*first = *s // another copy of the database
		}
	}
	joinParents(found, parents)
}

// sources reads the sessions, and adds the sub-agents' to parents.
func (t *tables) sources(path string, parents map[string]string) ([]*Source, error) {
	list := map[string]*Source{}
	var order []*Source
	touch := func(s *Source, size, ms int64) {
		s.Size += size
		if at := time.UnixMilli(ms); at.After(s.Modified) {
			s.Modified = at
		}
	}
	err := t.session.each(func(r *row) {
		id := r.text("id")
		s := &Source{Agent: OpenCode, Path: path + "#" + id, kind: tree, rows: &sessionRows{database: path, id: id, session: r.ID}}
		s.Head = Head{Session: id, Project: r.text("directory"), name: id, started: r.int("time_created") * int64(time.Millisecond)}
		touch(s, int64(len(s.Project)+len(r.text("title"))), r.int("time_updated"))
		if parent := r.text("parent_id"); parent != "" {
			parents[id] = parent
		}
		list[id], order = s, append(order, s)
	})
	if err != nil {
		return nil, err
	}
	err = t.message.each(func(r *row) {
		s := list[r.text("session_id")]
		if s == nil {
			return
		}
		touch(s, r.Size(t.message.columns["data"]), r.int("time_updated"))
		s.rows.messages = append(s.rows.messages, r.ID)
		if m := (lastMessage{r.ID, r.int("time_created"), r.text("id")}); m.created > s.rows.last.created || m.created == s.rows.last.created && m.id > s.rows.last.id {
			s.rows.last = m
		}
	})
	if err != nil {
		return nil, err
	}
	err = t.part.each(func(r *row) {
		if s := list[r.text("session_id")]; s != nil {
			touch(s, r.Size(t.part.columns["data"]), r.int("time_updated"))
			s.rows.parts = append(s.rows.parts, r.ID)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, s := range order {
		if s.rows.last.row != 0 {
			s.writing = isWriting(&rowObjects{tables: t, rows: s.rows}, &storedMessage{row: s.rows.last.row}, s.Modified)
		}
	}
	slices.SortFunc(order, func(a, b *Source) int { return cmp.Compare(a.name, b.name) })
	return order, nil
}
