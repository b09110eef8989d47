package loom

import (
	"encoding/json"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// request is a run that a client asked for, of which nothing was heard so far.
type request struct {
	id, agent       string
	model, provider string
	message         []byte
	media           string
	attributes      string
	at              int64
	// run is open already where the request named a thread: then it is known
	// which session it belongs to. Without one that is the answer's to say.
	run *run
}

// requests are what the client of a WebSocket sent and waits for.
type requests struct {
	runs       []*request // the oldest first
	others     []uint64   // the hashed ids of other requests
	unreadable int        // messages that the server can only refuse
}

const (
	waitingRuns   = 16
	waitingOthers = 16
)

// answer gives the request that a run answers: the one with its id, should a
// server use that, else the oldest. A server handles one after another.
func (q *requests) answer(id []byte) *request {
	if len(q.runs) == 0 {
		return nil
	}
	at := 0
	for i, r := range q.runs {
		if r.id != "" && r.id == string(id) {
			at = i
			break
		}
	}
	r := q.runs[at]
	q.runs = append(q.runs[:at], q.runs[at+1:]...)
	return r
}

// ask remembers a request that is not for a run.
func (q *requests) ask(id []byte) {
	if len(id) == 0 {
		return
	}
	if len(q.others) >= waitingOthers {
		q.others = append(q.others[:0], q.others[1:]...)
	}
	q.others = append(q.others, xxhash.Sum64(id))
}

// answered reports whether an answer is to a request that is not for a run,
// and strikes that off.
func (q *requests) answered(id []byte) bool {
	if len(id) == 0 {
		return false
	}
	hash := xxhash.Sum64(id)
	for i, h := range q.others {
		if h == hash {
			q.others = append(q.others[:i], q.others[i+1:]...)
			return true
		}
	}
	return false
}

// sent reads a frame from the client.
func (d *decoder) sent() {
	o := &d.outer
	typ := o.text(fType)
	if len(typ) == 0 {
		d.requests.unreadable++
		d.flag(schema.FlagUnknownType)
		return
	}
	w := d.typeOf(typ)
	d.frame.Type = w.name
	switch w.kind {
	case runRequest:
		d.runRequested()
	case cancelRun:
		d.requests.ask(o.text(fID))
		d.cancelRequested()
	case exchange:
		d.requests.ask(o.text(fID))
	default:
		d.requests.unreadable++
		d.flag(schema.FlagUnknownType)
	}
}

// runRequested reads a request for a run.
func (d *decoder) runRequested() {
	o := &d.outer
	q := &request{id: string(o.text(fID)), agent: string(o.text(fAgent)), at: d.frame.At}
	q.message, q.media, q.attributes = userMessage(o.member[fMessage])
	q.message = append([]byte(nil), q.message...)
	q.provider, q.model = modelOf(string(o.text(fModel)))
	if thread := o.text(fThread); len(thread) > 0 {
		session := string(thread)
		d.frame.Session = session
		q.run = d.openRun(session, "", q)
	}
	d.frame.Agent = q.agent
	if len(d.requests.runs) >= waitingRuns {
		left := d.requests.runs[0]
		d.requests.runs = append(d.requests.runs[:0], d.requests.runs[1:]...)
		if left.run == nil {
			d.suffix = ".left"
			left.run = d.openRun("", "", left)
			d.suffix = ""
		}
		d.giveUp(left.run)
	}
	d.requests.runs = append(d.requests.runs, q)
}

// modelOf splits a model as a request names it: "openai/gpt-4o", or "gpt-4o".
func modelOf(name string) (provider, model string) {
	if provider, model, ok := strings.Cut(name, "/"); ok {
		return provider, model
	}
	return "", name
}

// cancelRequested reads a cancel_run. The run goes on until the server says
// that it has ended.
func (d *decoder) cancelRequested() {
	if l := d.find(d.outer.text(fRunID), true); l != nil && l.run != nil {
		l.run.cancelled = true
		d.frame.Session, d.frame.Run, d.frame.Agent = l.session, l.run.name, l.run.agent
	}
}

// userMessage reads what a user said: a text, or a list of parts, of which the
// texts are taken and the kinds of all noted.
func userMessage(value []byte) (text []byte, media, attrs string) {
	switch {
	case !isThere(value):
		return nil, "", ""
	case isString(value):
		text, _ = dialect.Unquote(value, nil)
		return text, "text", ""
	}
	var kinds []string
	dialect.RawElements(value, func(part []byte) bool {
		said := textIn(part, "text")
		if said == nil {
			said, _ = dialect.Unquote(part, nil)
		}
		if len(said) > 0 {
			if text != nil {
				text = append(text, '\n')
			}
			text = append(text, said...)
		}
		kinds = append(kinds, string(textIn(part, "type")))
		return true
	})
	if text == nil {
		return value, "json", ""
	}
	quoted, _ := json.Marshal(kinds) // texts never fail
	var a dialect.Attributes
	a.AddRaw("parts", quoted)
	return text, "text", a.Text()
}
