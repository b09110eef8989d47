package agenthistory

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/tap/agenthistory/snapshot"
)

var (
	//go:embed sql/session.sql
	sessionSQL string
	//go:embed sql/messages.sql
	messagesSQL string
	//go:embed sql/parts.sql
	partsSQL string
	//go:embed sql/message.sql
	messageSQL string
	//go:embed sql/part.sql
	partSQL string
)

// databaseMemory is locked while a session of a database is read, since a read holds SQLite's
// memory and the largest value of the session.
var databaseMemory sync.Mutex

// openRow returns the events of a session in a database, all from one state of the database. The
// events are written to an unnamed file first, so that the read transaction, which keeps OpenCode's
// log from being truncated, is short.
func (s *Source) openRow() (io.ReadCloser, error) {
	f, err := os.CreateTemp("", "tapedeck-sync-*")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Path, err)
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = s.copyRow(f)
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

// copyRow writes the events of a session to a file.
func (s *Source) copyRow(f *os.File) error {
	databaseMemory.Lock()
	defer databaseMemory.Unlock()
	return withDatabase(s.row.database, func(db *snapshot.DB) error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := f.Truncate(0); err != nil {
			return err
		}
		return s.writeEvents(db, f)
	})
}

// writeEvents writes the events of a session.
func (s *Source) writeEvents(db *snapshot.DB, to io.Writer) error {
	switch s.Agent {
	case Goose:
		return s.writeGoose(db, to)
	case OpenClaw:
		return s.writeOpenClaw(db, to)
	}
	messages, err := messagesOf(db, s.row.id)
	if err != nil {
		return err
	}
	o := &rowObjects{db: db, of: s.row.id}
	if o.session() == nil {
		return cmp.Or(o.err, errChanged) // the session was deleted
	}
	w := bufio.NewWriterSize(to, 64<<10)
	_, err = io.Copy(w, &eventReader{objects: o, messages: messages, writing: s.writing})
	return errors.Join(err, o.err, w.Flush())
}

// messagesOf returns the messages of a session in order, each with its parts.
func messagesOf(db *snapshot.DB, session string) (list []storedMessage, err error) {
	rest := listLimit
	take := func(r *snapshot.Row) error {
		if rest -= 64 + len(r.Bytes(0)); rest < 0 {
			return errLongList
		}
		return nil
	}
	at := map[string]int{}
	err = db.Each(messagesSQL, func(r *snapshot.Row) error {
		id := r.Text(0)
		at[id], list = len(list), append(list, storedMessage{name: id})
		return take(r)
	}, session)
	if err != nil {
		return nil, err
	}
	return list, db.Each(partsSQL, func(r *snapshot.Row) error {
		if i, ok := at[string(r.Bytes(1))]; ok {
			list[i].parts = append(list[i].parts, r.Text(0))
		}
		return take(r)
	}, session)
}

// rowObjects reads the rows of a session as the objects that the files of the storage hold. It
// keeps the first error.
type rowObjects struct {
	db     *snapshot.DB
	of     string // the session's id
	parser fastjson.Parser
	err    error
}

func (o *rowObjects) session() (v *fastjson.Value) {
	err := o.db.Each(sessionSQL, func(r *snapshot.Row) error {
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
		}{r.Text(0), r.Text(1), r.Text(2), r.Text(3), r.Text(4), r.Text(5), times{r.Int(6)}})
		v = parseObject(&o.parser, text)
		return err
	}, o.of)
	o.err = cmp.Or(o.err, err)
	return v
}

func (o *rowObjects) message(m *storedMessage) *fastjson.Value {
	return o.object(messageSQL, m.name, "id", "sessionID")
}

func (o *rowObjects) part(m *storedMessage, i int) *fastjson.Value {
	return o.object(partSQL, m.parts[i], "id", "sessionID", "messageID")
}

// object reads the column data of a row, and adds members from the columns that follow it.
func (o *rowObjects) object(statement, id string, members ...string) (v *fastjson.Value) {
	err := o.db.Each(statement, func(r *snapshot.Row) error {
		if v = parseObject(&o.parser, r.Bytes(0)); v == nil {
			return nil
		}
		var arena fastjson.Arena
		for i, name := range members {
			v.Set(name, arena.NewString(r.Text(i+1)))
		}
		return nil
	}, id, o.of, int64(memberLimit))
	o.err = cmp.Or(o.err, err)
	return v
}
