package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// metaInit reads what an agent begins with. In the successor it also begins what
// comes after a pause: then the user's query is the results of the calls that
// were waited for.
func (d *decoder) metaInit(a *agent, text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	model := dialect.RawText(text, "model")
	query := dialect.RawText(text, "user_query")
	parent := dialect.RawText(text, "parent_agent_uuid")
	if a == d.root && len(parent) > 0 && string(parent) != "unknown" && a.Run() == nil {
		a.Session = string(parent) // its parent's frames go elsewhere
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

// anotherConnection begins a connection with an agent that has no parent: the
// one before had no end.
func (d *decoder) anotherConnection(a *agent) {
	d.cutConnection()
	d.enter(a)
}

// parentOf finds the parent of a sub-agent: where it is not named, or not known,
// the connection's own agent.
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

// metaRun begins a run with what the user asks.
func (d *decoder) metaRun(a *agent, text []byte) {
	asked := d.asked.began && a == d.root && a.spokeAt == 0
	if a.Run() != nil && !asked {
		a.abandon() // its end was not seen
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
		// Those of calls that the agent executed itself come first.
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
	if a.Model == "" { // a connection that goes on after a pause may not say
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

// modelOf finds an agent's model in the successor's log of the conversation.
func modelOf(text []byte, agent string) []byte {
	agents := dialect.RawPath(text, "conversation_log.agents")
	return dialect.RawText(dialect.RawMember(agents, agent), "model")
}

// answer is the result of a call that the client executed.
type answer struct {
	id, text, why []byte
	status        schema.Status
}

// readQuery reads what a run is asked: a text, or blocks of content as JSON.
func readQuery(query []byte) (text []byte, results []answer) {
	if len(query) == 0 || query[0] != '{' && query[0] != '[' || !wellformed.JSON(query) {
		return query, nil
	}
	text, results, ok := readBlocks(query)
	if !ok {
		return query, nil // the user wrote JSON
	}
	return text, results
}

// readBlocks reads a message or the blocks of one. ok is false for other JSON.
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

// firstText returns the first of an object's members that is a string, nil for
// none.
func firstText(object []byte, names ...string) []byte {
	for _, name := range names {
		if text := dialect.RawText(object, name); text != nil {
			return text
		}
	}
	return nil
}

// answerOf reads the result of a call, as the API or as the successor writes it.
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
