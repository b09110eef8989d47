package loom

import (
	"encoding/json"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
)

// request is a client's request for a run that has no frames yet.
type request struct {
	id, agent       string
	model, provider string
	text            []byte // what the user said
	media           string
	attributes      string
	at              int64
	// run is open if the request named a thread, which determines the session. Otherwise the
	// answer names it.
	run *run
}

// requests are the requests of a WebSocket's client that have no answer yet.
type requests struct {
	runs       []*request // the oldest first
	others     []uint64   // hashes of the ids of other requests
	unreadable int        // invalid messages, which the server refuses
}

const (
	waitingRuns   = 16
	waitingOthers = 16
)

// answer returns the request that a run answers: the one with its id, if the server uses it, else
// the oldest. A server handles requests one after the other.
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

// ask keeps a request that is not for a run.
func (q *requests) ask(id []byte) {
	if len(id) == 0 {
		return
	}
	if len(q.others) >= waitingOthers {
		q.others = append(q.others[:0], q.others[1:]...)
	}
	q.others = append(q.others, xxhash.Sum64(id))
}

// answered reports whether an answer is to a request that is not for a run, and removes that
// request.
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
	if typ := d.outer.text(fType); len(typ) > 0 {
		if k := d.kindOf(typ); k != nil && k.client != nil {
			k.client(d)
			return
		}
	}
	d.requests.unreadable++
	d.Unknown()
}

// requested reads a request that is not for a run.
func (d *decoder) requested() { d.requests.ask(d.outer.text(fID)) }
func (d *decoder) answered()  { d.requests.answered(d.outer.text(fID)) }

// cancelRequested reads a cancel_run. The run continues until the server ends it.
func (d *decoder) cancelRequested() {
	d.requested()
	if l := d.find(d.outer.text(fRunID), true); l != nil && l.run != nil {
		l.run.cancelled = true
		d.Frame.Session, d.Frame.Run, d.Frame.Agent = l.session, l.run.RunID, l.run.Agent
	}
}

// runRequested reads a request for a run.
func (d *decoder) runRequested() {
	o := &d.outer
	q := &request{id: string(o.text(fID)), agent: string(o.text(fAgent)), at: d.Frame.At}
	q.text, q.media, q.attributes = userMessage(o.member[fMessage])
	q.text = append([]byte(nil), q.text...)
	q.provider, q.model = modelOf(string(o.text(fModel)))
	if thread := o.text(fThread); len(thread) > 0 {
		d.Frame.Session = string(thread)
		q.run = d.openRun(d.Frame.Session, "", q)
	}
	d.Frame.Agent = q.agent
	if len(d.requests.runs) >= waitingRuns {
		d.Part(".left")
		d.abandon(d.runFor(d.requests.answer(nil)))
	}
	d.requests.runs = append(d.requests.runs, q)
}

// runFor returns the run of a request without an answer.
func (d *decoder) runFor(q *request) *run {
	if q.run == nil {
		q.run = d.openRun("", "", q)
	}
	return q.run
}

// modelOf splits a model in a request: "openai/gpt-4o", or "gpt-4o".
func modelOf(name string) (provider, model string) {
	if provider, model, ok := strings.Cut(name, "/"); ok {
		return provider, model
	}
	return "", name
}

// userMessage reads a message of a user: a text, or a list of parts with texts and other kinds.
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
		said := dialect.RawText(part, "text")
		if said == nil {
			said, _ = dialect.Unquote(part, nil)
		}
		if len(said) > 0 {
			if text != nil {
				text = append(text, '\n')
			}
			text = append(text, said...)
		}
		kinds = append(kinds, string(dialect.RawText(part, "type")))
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
