package agenthistory

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"tapedeck/ingest/tap/agenthistory/snapshot"
)

// OpenCode has kept its sessions in a database since version 1.2: the tables session, message and
// part have one row for each session, message and part. The column data of message and part holds
// the object that was a file of the storage before, without its ids.
var (
	//go:embed sql/sessions.sql
	sessionsSQL string
	//go:embed sql/sizes_messages.sql
	messageSizesSQL string
	//go:embed sql/sizes_parts.sql
	partSizesSQL string
	//go:embed sql/newer.sql
	newerSQL string
)

// databaseAgent returns the agent that gives its database a file name, "" for none. Builds of
// OpenCode that are not releases use other names. Kilo is made of OpenCode and has its tables.
func databaseAgent(path string) Agent {
	name := filepath.Base(path)
	of, _ := filepath.Match("opencode-*.db", name)
	switch {
	case of || name == "opencode.db":
		return OpenCode
	case name == "kilo.db":
		return Kilo
	case name == "openclaw-agent.sqlite":
		return OpenClaw
	case name == "sessions.db" && parentDir(path, 1) == "sessions":
		return Goose
	}
	return ""
}

// Reasons why sessions of a database are not recorded.
var (
	errOpenCode2 = errors.New(
		"its sessions of OpenCode 2 are in tables that are not read; \"opencode export\" writes them as JSON",
	)
	errLongList = &foreignError{
		fmt.Errorf("not an agent's database: the names of its sessions or messages have more than %d bytes", listLimit),
	}
)

// listLimit bounds the memory for the sessions of a database, or for the messages of a session,
// bytes.
const listLimit = 256 << 20

// databaseTimeout bounds a read of a database's list of sessions, or of a session.
const databaseTimeout = 2 * time.Minute

// withDatabase calls read with a consistent state of a database. It calls read again if the
// database was opened or closed during the read, which makes the result invalid.
func withDatabase(path string, read func(*snapshot.DB) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	err := snapshot.Read(ctx, path, read)
	if errors.Is(err, snapshot.ErrForeign) {
		return &foreignError{fmt.Errorf("not a database of %s: %w", titles[databaseAgent(path)], err)}
	}
	return err
}

// sessionRow names a session of a database.
type sessionRow struct{ database, id string }

// titles has the names of the agents with databases, as they are written in messages.
var titles = map[Agent]string{OpenCode: "OpenCode", Kilo: "Kilo", Goose: "Goose", OpenClaw: "OpenClaw"}

// database collects the sessions in a database of OpenCode or Kilo. It reads every row, but only the
// size of the column data.
func (f *finder) database(path string, agent Agent) {
	var found []*Source
	var parents map[string]string
	newer := false
	err := withDatabase(path, func(db *snapshot.DB) (err error) {
		if found, parents, err = sessionsOf(db, path, agent); err != nil {
			return err
		}
		newer = false
		err = db.Each(newerSQL, func(*snapshot.Row) error { newer = true; return nil })
		if snapshot.Missing(err) {
			return nil
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
	f.addRows(found)
	joinParents(found, parents)
}

// addRows adds the sessions of a database. Of a session that several copies of the database have, it
// keeps the latest.
func (f *finder) addRows(found []*Source) {
	for _, s := range found {
		key := string(s.Agent) + " " + s.name
		if first := f.rows[key]; first == nil {
			f.rows[key] = s
			f.sources = append(f.sources, s)
		} else if s.Modified.After(first.Modified) {
			*first = *s
		}
	}
}

// sessionsOf reads the sessions of a database, and for each sub-agent's session the id of its
// parent.
func sessionsOf(db *snapshot.DB, path string, agent Agent) (order []*Source, parents map[string]string, err error) {
	list := map[string]*Source{}
	parents = map[string]string{}
	touch := func(s *Source, size, ms int64) {
		s.Size += size
		if at := time.UnixMilli(ms); at.After(s.Modified) {
			s.Modified = at
		}
	}
	rest := listLimit
	err = db.Each(sessionsSQL, func(r *snapshot.Row) error {
		id := r.Text(0)
		s := &Source{Agent: agent, Path: path + "#" + id, kind: tree, row: &sessionRow{path, id}}
		s.Head = Head{Session: id, Project: r.Text(2), name: id, started: r.Int(3) * int64(time.Millisecond)}
		touch(s, r.Int(5), r.Int(4))
		if parent := r.Text(1); parent != "" {
			parents[id] = parent
		}
		list[id], order = s, append(order, s)
		if rest -= 512 + len(s.Path) + 2*len(id) + len(s.Project) + len(parents[id]); rest < 0 {
			return errLongList
		}
		return nil
	})
	for _, sizes := range []string{messageSizesSQL, partSizesSQL} {
		if err != nil {
			return nil, nil, err
		}
		err = db.Each(sizes, func(r *snapshot.Row) error {
			if s := list[string(r.Bytes(0))]; s != nil {
				touch(s, r.Int(1), r.Int(2))
			}
			return nil
		})
	}
	for _, s := range order {
		if err == nil && time.Since(s.Modified) <= openFor {
			err = s.setWriting(db)
		}
	}
	slices.SortFunc(order, func(a, b *Source) int { return cmp.Compare(a.name, b.name) })
	return order, parents, err
}

// setWriting reads the last message of a session that was written recently, and sets s.writing.
func (s *Source) setWriting(db *snapshot.DB) error {
	messages, err := messagesOf(db, s.row.id)
	if err != nil || len(messages) == 0 {
		return err
	}
	o := &rowObjects{db: db, of: s.row.id}
	s.writing = isWriting(o, &messages[len(messages)-1], s.Modified)
	return o.err
}
