package anthropicagent

import (
	"bytes"

	"tapedeck/ingest/dialect"
)

// request is a client's request, recorded by a proxy. The agent may become known only with the
// answer.
type request struct {
	at      int64 // its arrival, ns; 0 for none
	began   bool  // its run has begun
	session string
	prompt  []byte // the user's text, until it is recorded
}

// promptLimit bounds what is kept of a request until its answer comes, bytes.
const promptLimit = 1 << 20

// takeTime returns the time at which a run that answers the request began.
func (r *request) takeTime(at int64) int64 {
	if r.at != 0 && !r.began {
		r.began = true
		return r.at
	}
	return at
}

// record records the user's text in the run that answers it.
func (r *request) record(a *agent) {
	if len(r.prompt) == 0 {
		return
	}
	m := a.UserMessage(r.prompt)
	if r.at != 0 {
		m.Started, m.Ended = r.at, r.at
	}
	r.prompt = nil
	a.ready = r.at
}

// head reads the head of a request or of its answer.
func (d *decoder) head(in *dialect.Input, head *dialect.Head) {
	if head.Status != 0 {
		d.refusal.Answer(head.Status)
		d.address()
		return
	}
	d.answerMissing()
	d.cutConnection()
	for _, path := range []string{runPath, resultsPath} {
		if bytes.HasSuffix(head.Path, []byte(path)) {
			d.asked.at = in.At
		}
	}
}

// sent reads a request: the user's text, or the results of calls that the client executed.
func (d *decoder) sent(in *dialect.Input) {
	if in.JSON == nil {
		return
	}
	in.Type = "request"
	prompt, results := dialect.RawMember(in.Data, "user_prompt"), dialect.RawMember(in.Data, "tool_results")
	if prompt == nil && results == nil {
		d.Unknown()
		return
	}
	if d.asked.at == 0 || d.root != nil {
		d.cutConnection()
		d.asked.at = in.At
	}
	id := in.JSON.GetStringBytes("agent_uuid")
	d.asked.session = string(id)
	if results != nil {
		d.sentResults(d.agent(id), results)
	} else if d.asked.prompt = promptOf(prompt); len(id) > 0 {
		d.inRun(d.agent(id))
	}
	d.address()
}

// promptOf returns a copy of the user's text: a text, or the texts of a message or of its blocks.
func promptOf(prompt []byte) []byte {
	text, _ := dialect.Unquote(prompt, nil)
	if text == nil {
		var ok bool
		if text, _, ok = readBlocks(prompt); !ok {
			text = prompt
		}
	}
	if len(text) > promptLimit {
		return []byte(dialect.Short(text))
	}
	return bytes.Clone(text)
}

// sentResults ends the calls whose results the client sends, and continues the run that waited
// for them.
func (d *decoder) sentResults(a *agent, list []byte) {
	at := d.asked.takeTime(d.Frame.At)
	n := 0
	dialect.RawElements(list, func(raw []byte) bool {
		r := answerOf(raw)
		if len(r.id) == 0 {
			return true
		}
		a.resume(at, r.id)
		a.ResultOf(r.id, nil, r.text, mediaOf(r.text, false), r.status, r.why)
		n++
		return n < resultLimit
	})
	if a.Run() == nil {
		a.resume(at, nil)
	}
	a.seal()
	a.ready = d.Frame.At
}

// refused reads the body of an error answer.
func (d *decoder) refused(in *dialect.Input) {
	in.Type = "error"
	if d.waits() {
		d.crash([]byte(string(d.refusal.Text())+": "+dialect.Short(in.Data)), "")
	}
	d.address()
}

// waits reports whether a request has not been answered.
func (d *decoder) waits() bool {
	return d.asked.at != 0 && !d.asked.began || d.root != nil && d.root.Run() != nil
}
