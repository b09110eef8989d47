package agenthistory

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/tap/agenthistory/snapshot"
)

// OpenClaw keeps its sessions in a database of each of its agents since version 2026.9.2: the table
// transcript_events has the lines of the files of earlier versions.
var (
	//go:embed sql/openclaw_sizes.sql
	openClawSizesSQL string
	//go:embed sql/openclaw_table.sql
	openClawTableSQL string
	//go:embed sql/openclaw_head.sql
	openClawHeadSQL string
	//go:embed sql/openclaw_lines.sql
	openClawLinesSQL string
)

// openClaw collects the sessions in a database of OpenClaw. Earlier versions kept only other things
// in it.
func (f *finder) openClaw(path string) {
	var found []*Source
	var unknown error // why a table of lines is not read
	err := withDatabase(path, func(db *snapshot.DB) (err error) {
		found, err = openClawSessions(db, path)
		if unknown = nil; !snapshot.Missing(err) {
			return err
		}
		found = nil
		return db.Each(openClawTableSQL, func(*snapshot.Row) error { unknown = err; return nil })
	})
	if err != nil {
		f.skip(path, err)
		return
	}
	if unknown != nil {
		f.problems = append(f.problems, Problem{Path: path, Foreign: true, Reason: fmt.Sprintf(
			"a version of OpenClaw's table transcript_events that this program does not know: it is not read (%v)", unknown)})
	}
	f.addRows(found)
}

func openClawSessions(db *snapshot.DB, path string) (order []*Source, err error) {
	list := map[string]*Source{}
	rest := listLimit
	err = db.Each(openClawSizesSQL, func(r *snapshot.Row) error {
		s := list[string(r.Bytes(0))]
		if s == nil {
			id := r.Text(0)
			s = &Source{Agent: OpenClaw, Path: path + "#" + id, kind: tree, row: &sessionRow{path, id}}
			s.Head = Head{Session: id, name: id + ".jsonl"}
			list[id], order = s, append(order, s)
			if rest -= 512 + len(s.Path) + 2*len(id); rest < 0 {
				return errLongList
			}
		}
		s.Size += r.Int(1)
		if at := time.UnixMilli(r.Int(2)); at.After(s.Modified) {
			s.Modified = at
		}
		return nil
	})
	for _, s := range order {
		if err == nil {
			err = db.Each(openClawHeadSQL, func(r *snapshot.Row) error { s.openClawHead(r.Bytes(0)); return nil }, s.row.id, int64(headBytes))
		}
	}
	slices.SortFunc(order, func(a, b *Source) int { return cmp.Compare(a.name, b.name) })
	return order, err
}

// openClawHead reads the first line of a session, as the first line of a file.
func (s *Source) openClawHead(line []byte) {
	s.started = oldest
	var p fastjson.Parser
	v, err := p.ParseBytes(line)
	if err != nil || !isPi(v) {
		return
	}
	s.Project = string(v.GetStringBytes("cwd"))
	s.started = cmp.Or(timeOf(v), oldest)
}

// writeOpenClaw writes the lines of a session.
func (s *Source) writeOpenClaw(db *snapshot.DB, to io.Writer) error {
	w := bufio.NewWriterSize(to, 64<<10)
	err := db.Each(openClawLinesSQL, func(r *snapshot.Row) error {
		line := r.Bytes(0)
		if len(line) == 0 {
			return nil
		}
		if bytes.IndexByte(line, '\n') >= 0 {
			var compact bytes.Buffer
			if json.Compact(&compact, line) != nil {
				return nil
			}
			line = compact.Bytes()
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		return w.WriteByte('\n')
	}, s.row.id, int64(memberLimit))
	return errors.Join(err, w.Flush())
}
