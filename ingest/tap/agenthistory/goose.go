package agenthistory

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/tap/agenthistory/snapshot"
)

// Goose keeps its sessions in a database: the tables sessions and messages and, since version 15 of
// its schema, usage_ledger with the tokens of each call.
var (
	//go:embed sql/goose_sessions.sql
	gooseSessionsSQL string
	//go:embed sql/goose_sizes.sql
	gooseSizesSQL string
	//go:embed sql/goose_version.sql
	gooseVersionSQL string
	//go:embed sql/goose_messages.sql
	gooseMessagesSQL string
	//go:embed sql/goose_ledger.sql
	gooseLedgerSQL string
	//go:embed sql/goose_totals.sql
	gooseTotalsSQL string
)

// gooseVersion is the latest version of Goose's schema that is known.
const gooseVersion = 15

// gooseSettles is how long after its last change a session of Goose is read again by the next run:
// its times have seconds, in which it may change after it was read.
const gooseSettles = 5 * time.Second

// goose collects the sessions in a database of Goose.
func (f *finder) goose(path string) {
	var found []*Source
	version := int64(0)
	err := withDatabase(path, func(db *snapshot.DB) (err error) {
		found, err = gooseSessions(db, path)
		if err != nil {
			return err
		}
		err = db.Each(gooseVersionSQL, func(r *snapshot.Row) error { version = r.Int(0); return nil })
		if snapshot.Missing(err) {
			return nil
		}
		return err
	})
	if err != nil {
		f.skip(path, err)
		return
	}
	if version > gooseVersion {
		f.problems = append(f.problems, Problem{Path: path, Foreign: true, Recorded: true, Reason: fmt.Sprintf(
			"version %d of Goose's tables that this program does not know: it is recorded, and facts may be missing", version)})
	}
	f.addRows(found)
}

// gooseSessions reads the sessions of a database that have messages.
func gooseSessions(db *snapshot.DB, path string) (order []*Source, err error) {
	list := map[string]*Source{}
	rest := listLimit
	err = db.Each(gooseSessionsSQL, func(r *snapshot.Row) error {
		id := r.Text(0)
		s := &Source{Agent: Goose, Path: path + "#" + id, kind: tree, row: &sessionRow{path, id}, Modified: time.Unix(r.Int(3), 0)}
		s.Head = Head{Session: id, Project: r.Text(1), name: id, started: max(r.Int(2)*int64(time.Second), oldest)}
		s.writing = time.Since(s.Modified).Abs() < gooseSettles
		list[id] = s
		if rest -= 512 + len(s.Path) + 2*len(id) + len(s.Project); rest < 0 {
			return errLongList
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = db.Each(gooseSizesSQL, func(r *snapshot.Row) error {
		s := list[string(r.Bytes(0))]
		if s == nil {
			return nil
		}
		if s.Size == 0 {
			order = append(order, s)
		}
		s.Size += r.Int(1)
		if at := time.Unix(0, gooseTime(r.Int(2))); at.After(s.Modified) {
			s.Modified = at
		}
		return nil
	})
	slices.SortFunc(order, func(a, b *Source) int { return cmp.Compare(a.name, b.name) })
	return order, err
}

// writeGoose writes the messages of a session as lines and, after them, the tokens of its calls and
// those of the session, also without those of the ledger: a session that is older than the ledger has
// others.
func (s *Source) writeGoose(db *snapshot.DB, to io.Writer) error {
	w := bufio.NewWriterSize(to, 64<<10)
	if err := s.writeGooseMessages(db, w); err != nil {
		return err
	}
	var line []byte
	input, output := int64(0), int64(0) // of the ledger
	err := db.Each(gooseLedgerSQL, func(r *snapshot.Row) error {
		input, output = input+r.Int(3), output+r.Int(4)
		line = appendLine(line[:0], "goose.usage", gooseTime(r.Int(1)), "id", number(r.Int(0)), "model", text(r.Text(2)), "input_tokens", number(r.Int(3)),
			"output_tokens", number(r.Int(4)), "total_tokens", number(r.Int(5)), "cache_read_tokens", number(r.Int(6)), "cache_write_tokens", number(r.Int(7)))
		_, err := w.Write(line)
		return err
	}, s.row.id)
	if err != nil && !snapshot.Missing(err) {
		return err
	}
	err = db.Each(gooseTotalsSQL, func(r *snapshot.Row) error {
		var p fastjson.Parser
		model := ""
		if v, err := p.ParseBytes(r.Bytes(1)); err == nil {
			model = string(v.GetStringBytes("model_name"))
		}
		line = appendLine(line[:0], "goose.totals", gooseTime(r.Int(0)), "model", text(model), "provider", text(r.Text(2)),
			"input_tokens", number(r.Int(3)), "output_tokens", number(r.Int(4)), "total_tokens", number(r.Int(5)),
			"rest_input_tokens", number(max(0, r.Int(3)-input)), "rest_output_tokens", number(max(0, r.Int(4)-output)))
		_, err := w.Write(line)
		return err
	}, s.row.id)
	return cmp.Or(err, w.Flush())
}

// writeGooseMessages writes the messages of a session. A turn of the assistant is several rows: the
// line of each says whether it is the last, before a text of the user or the end of the session.
func (s *Source) writeGooseMessages(db *snapshot.DB, w io.Writer) error {
	var held []byte // the line of the row before, if it is the assistant's
	release := func(last bool) error {
		if len(held) == 0 {
			return nil
		}
		_, err := w.Write(fmt.Appendf(held[:len(held)-len("}\n")], ",\"last\":%t}\n", last))
		held = held[:0]
		return err
	}
	var line []byte
	err := db.Each(gooseMessagesSQL, func(r *snapshot.Row) error {
		role, content := r.Text(1), r.Bytes(3)
		line = appendLine(line[:0], "goose.message", gooseTime(r.Int(2)), "id", number(r.Int(0)), "role", text(role), "content", content)
		if err := release(role == "user" && gooseHasText(content)); err != nil {
			return err
		}
		if role == "assistant" {
			held = append(held, line...)
			return nil
		}
		_, err := w.Write(line)
		return err
	}, s.row.id, int64(memberLimit))
	if err != nil {
		return err
	}
	return release(true)
}

// gooseHasText reports whether the content of a message has a part of the type text.
func gooseHasText(content []byte) bool {
	var p fastjson.Parser
	v, err := p.ParseBytes(content)
	return err == nil && slices.ContainsFunc(v.GetArray(), func(part *fastjson.Value) bool {
		return string(part.GetStringBytes("type")) == "text"
	})
}

// gooseTime converts the time of a message, ns: seconds, of some versions milliseconds.
func gooseTime(at int64) int64 {
	if at > 1e11 {
		return at * int64(time.Millisecond)
	}
	return at * int64(time.Second)
}

// number and text return JSON.
func number(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

func text(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return raw
}
