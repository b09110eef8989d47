package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// metaInit reads the start of an agent. In the successor it also begins what comes after a pause:
// the user's query is then the results of the calls that the run waited for.
func (d *decoder) metaInit(a *agent, text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	model := dialect.RawText(text, "model")
	query := dialect.RawText(text, "user_query")
	parent := dialect.RawText(text, "parent_agent_uuid")
	if a == d.root && len(parent) > 0 && string(parent) != "unknown" && a.Run() == nil {
		a.Session = string(parent) // the frames of the parent are in another stream
	}
	text, results := readQuery(query)
	if len(parent) == 0 && len(results) == 0 && (a != d.root || d.over) {
		d.anotherConnection(a)
	}
	switch {
	case len(results) > 0:
		d.answered(a, results)
	case a != d.root && d.parentOf(a, parent) != nil:
		d.beginSub(a, d.parentOf(a, parent), text)
	default:
		d.metaRun(a, text)
	}
	a.setModel(model)
	a.ready = d.Frame.At
	return true
}

// anotherConnection begins a connection with an agent without a parent. The previous connection
// had no end.
func (d *decoder) anotherConnection(a *agent) {
	d.cutConnection()
	d.enter(a)
}

// parentOf returns the parent of a sub-agent. It is the connection's own agent if the parent is
// unnamed or unknown.
func (d *decoder) parentOf(a *agent, id []byte) *agent {
	if len(id) == 0 {
		return nil
	}
	parent := d.known(id)
	if parent == nil {
		parent = d.root
	}
	if parent == nil || parent.below(a) {
		return nil
	}
	return parent
}

// metaRun begins a run with the user's query.
func (d *decoder) metaRun(a *agent, text []byte) {
	asked := d.asked.began && a == d.root && a.spokeAt == 0
	if a.Run() != nil && !asked {
		a.abandon() // the end of the previous run was not seen
	}
	stated := a == d.root && len(d.asked.prompt) > 0
	d.inRun(a)
	if !stated && !asked && len(text) > 0 {
		a.UserMessage(text)
	}
}

// answered reads the results of the calls that an agent waited for.
func (d *decoder) answered(a *agent, results []answer) {
	if a.Run() == nil {
		// Results of calls that the agent executed itself come first.
		last := results[len(results)-1].id
		a.resume(d.asked.takeTime(d.Frame.At), last)
	}
	for _, r := range results {
		a.ResultOf(r.id, nil, r.text, mediaOf(r.text, false), r.status, r.why)
	}
	a.seal()
	a.work()
}

// metaFinal ends a run.
func (d *decoder) metaFinal(a *agent, text []byte) bool {
	d.endBelow(a, schema.StatusOK)
	d.inRun(a)
	a.seal()
	if a.Model == "" { // a connection after a pause may not name the model
		a.setModel(modelOf(text, a.id))
	}
	d.usage(a, text)
	reason := dialect.RawMember(text, "stop_reason")
	a.note("stop_reason", reason)
	a.note("total_steps", dialect.RawMember(text, "total_steps"))
	a.note("cost", dialect.RawMember(text, "cost"))
	if files := dialect.RawMember(text, "generated_files"); len(files) > len("[]") {
		a.note("files", files)
	}
	status := schema.StatusOK
	switch stop, _ := dialect.Unquote(reason, nil); string(stop) {
	case "aborted", "cancelled":
		status = schema.StatusCancelled
	case "error":
		status = schema.StatusError
	}
	d.endAgent(a, status)
	return true
}

// modelOf returns an agent's model from the successor's log of the conversation.
func modelOf(text []byte, agent string) []byte {
	agents := dialect.RawPath(text, "conversation_log.agents")
	return dialect.RawText(dialect.RawMember(agents, agent), "model")
}

// answer is the result of a call that the client executed.
type answer struct {
	id, text, why []byte
	status        schema.Status
}

// readQuery reads the query of a run: a text, or blocks of content as JSON.
func readQuery(query []byte) (text []byte, results []answer) {
	if len(query) == 0 || query[0] != '{' && query[0] != '[' || !wellformed.JSON(query) {
		return query, nil
	}
	text, results, ok := readBlocks(query)
	if !ok {
		return query, nil // the user's text is JSON
	}
	return text, results
}

// readBlocks reads a message or its blocks. ok is false for other JSON.
func readBlocks(raw []byte) (text []byte, results []answer, ok bool) {
	if content := dialect.RawMember(raw, "content"); content != nil {
		if text, _ := dialect.Unquote(content, nil); text != nil {
			return text, nil, true
		}
		raw = content
	}
	dialect.RawElements(raw, func(block []byte) bool {
		typ := firstText(block, "type", "content_block_type")
		ok = ok || typ != nil
		switch string(typ) {
		case "text":
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = append(text, dialect.RawText(block, "text")...)
		case "tool_result":
			if r := answerOf(block); len(r.id) > 0 && len(results) < resultLimit {
				results = append(results, r)
			}
		}
		return true
	})
	return text, results, ok
}

// firstText returns the first of an object's members that is a string, or nil.
func firstText(object []byte, names ...string) []byte {
	for _, name := range names {
		if text := dialect.RawText(object, name); text != nil {
			return text
		}
	}
	return nil
}

// answerOf reads the result of a call, in the form of the API or of the successor.
func answerOf(block []byte) answer {
	r := answer{id: firstText(block, "tool_use_id", "tool_id"), status: schema.StatusOK}
	content := dialect.RawMember(block, "content")
	if content == nil {
		content = dialect.RawMember(block, "tool_result")
	}
	if text, _ := dialect.Unquote(content, nil); text != nil {
		r.text = text
	} else if text, _, ok := readBlocks(content); ok && text != nil {
		r.text = text
	} else if string(content) != "null" {
		r.text = content
	}
	if dialect.RawTrue(dialect.RawMember(block, "is_error")) {
		r.status, r.why = schema.StatusError, r.text
	}
	return r
}
