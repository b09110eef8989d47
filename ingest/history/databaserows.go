package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/valyala/fastjson"
)

// openRows returns the events of a session in a database, of one state of it: they go to a file
// without a name first, since OpenCode may overwrite the pages meanwhile.
func (s *Source) openRows() (io.ReadCloser, error) {
	f, err := os.CreateTemp("", "tapedeck-sync-*")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Path, err)
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = withDatabase(s.rows.database, func(t *tables) error {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			if err := f.Truncate(0); err != nil {
				return err
			}
			return s.writeEvents(t, f)
		})
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, &readError{err}
	}
	return f, nil
}

// writeEvents writes the events of a session.
func (s *Source) writeEvents(t *tables, to io.Writer) error {
	messages, err := t.messagesOf(s.rows)
	if err != nil {
		return err
	}
	o := &rowObjects{tables: t, rows: s.rows}
	w := bufio.NewWriterSize(to, 64<<10)
	_, err = io.Copy(w, &eventReader{objects: o, messages: messages, writing: s.writing})
	return errors.Join(err, o.err, w.Flush())
}

// messagesOf returns the messages of a session in order, each with its parts.
func (t *tables) messagesOf(rows *sessionRows) ([]storedMessage, error) {
	type member struct {
		created int64
		id, of  string // of: the message of a part
		row     int64
	}
	read := func(from *table, ids []int64, see func(*row) member) (list []member, err error) {
		for _, id := range ids {
			found, err := from.Row(id)
			if err != nil {
				return nil, err
			}
			if found == nil {
				return nil, errChanged // it was deleted
			}
			r := row{Row: found, table: from}
			list = append(list, see(&r))
			if r.text("session_id") != rows.id {
				r.err = cmp.Or(r.err, errChanged) // the database was written anew
			}
			if r.err != nil {
				return nil, r.err
			}
		}
		slices.SortFunc(list, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
		})
		return list, nil
	}
	messages, err := read(&t.message, rows.messages, func(r *row) member {
		return member{created: r.int("time_created"), id: r.text("id"), row: r.ID}
	})
	if err != nil {
		return nil, err
	}
	parts, err := read(&t.part, rows.parts, func(r *row) member {
		return member{id: r.text("id"), of: r.text("message_id"), row: r.ID}
	})
	if err != nil {
		return nil, err
	}
	of := map[string][]int64{}
	for _, p := range parts {
		of[p.of] = append(of[p.of], p.row)
	}
	list := make([]storedMessage, 0, len(messages))
	for _, m := range messages {
		list = append(list, storedMessage{row: m.row, partRows: of[m.id]})
	}
	return list, nil
}

// rowObjects reads the rows of a session as the objects that files of the storage hold. The first
// failure is kept.
type rowObjects struct {
	tables *tables
	rows   *sessionRows
	parser fastjson.Parser
	err    error
}

func (o *rowObjects) session() *fastjson.Value {
	found, err := o.tables.session.Row(o.rows.session)
	if o.err = cmp.Or(o.err, err); err != nil || found == nil {
		return nil
	}
	r := row{Row: found, table: &o.tables.session}
	if r.text("id") != o.rows.id {
		o.err = cmp.Or(o.err, errChanged)
	}
	type times struct {
		Created int64 `json:"created"`
	}
	text, err := json.Marshal(struct {
		ID        string `json:"id"`
		ProjectID string `json:"projectID"`
		ParentID  string `json:"parentID,omitempty"`
		Directory string `json:"directory"`
		Title     string `json:"title"`
		Version   string `json:"version"`
		Time      times  `json:"time"`
	}{r.text("id"), r.text("project_id"), r.text("parent_id"), r.text("directory"), r.text("title"), r.text("version"), times{r.int("time_created")}})
	if o.err = cmp.Or(o.err, r.err, err); o.err != nil {
		return nil
	}
	return parseObject(&o.parser, text)
}

func (o *rowObjects) message(m *storedMessage) *fastjson.Value {
	return o.object(&o.tables.message, m.row, "id", "id", "sessionID", "session_id")
}

func (o *rowObjects) part(m *storedMessage, i int) *fastjson.Value {
	return o.object(&o.tables.part, m.partRows[i], "id", "id", "messageID", "message_id", "sessionID", "session_id")
}

// object reads the data of a row, and adds members from other columns to it.
func (o *rowObjects) object(from *table, id int64, members ...string) *fastjson.Value {
	found, err := from.Row(id)
	if o.err = cmp.Or(o.err, err); err != nil || found == nil || found.Size(from.columns["data"]) > memberLimit {
		return nil
	}
	r := row{Row: found, table: from}
	text, err := r.Bytes(from.columns["data"])
	if o.err = cmp.Or(o.err, err); err != nil {
		return nil
	}
	v := parseObject(&o.parser, text)
	if v == nil {
		return nil
	}
	var arena fastjson.Arena
	for ; len(members) > 0; members = members[2:] {
		v.Set(members[0], arena.NewString(r.text(members[1])))
	}
	o.err = cmp.Or(o.err, r.err)
	return v
}
