package loom

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges a frame by itself. Words such as "error", "usage" or
// "tool_call" occur in many protocols: they count for what stands beside them.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil {
		return dialect.No, ""
	}
	var o object
	if !o.read(in.Data) {
		return dialect.No, ""
	}
	typ := o.text(fType)
	w, known := byType[string(typ)]
	switch {
	case len(typ) == 0:
		return matchUntyped(&o)
	case !known:
		return dialect.No, ""
	case in.Direction == schema.Send:
		return matchRequest(&o, w)
	case w.kind.isEvent():
		return matchEvent(&o, w)
	}
	return matchMessage(&o, w)
}

// matchRequest judges what a client sends.
func matchRequest(o *object, w word) (dialect.Confidence, string) {
	switch {
	case w.kind == runRequest && o.has(fMessage) && o.text(fAgent) != nil,
		w.kind == cancelRun && o.text(fRunID) != nil,
		w.name == "user_messages" && o.text(fThread) != nil:
		return dialect.Likely, "a " + w.name + " request"
	case (w.kind == runRequest || w.kind == exchange) && o.text(fID) != nil:
		return dialect.Possible, "a " + w.name + " request"
	}
	return dialect.No, ""
}

// matchMessage judges what a server sends other than events.
func matchMessage(o *object, w word) (dialect.Confidence, string) {
	switch w.kind {
	case wrapper:
		if isObject(o.member[fEvent]) && o.text(fID) != nil {
			return dialect.Certain, "a run_stream_event"
		}
	case runEnd:
		if o.text(fID) != nil && o.text(fReply) != nil {
			return dialect.Certain, "a run_end with a reply"
		}
	case failure:
		switch {
		case o.text(fError) == nil:
		case bytes.HasPrefix(o.text(fID), []byte("run-")):
			return dialect.Likely, "an error of a run"
		default:
			return dialect.Possible, "an error"
		}
	case exchange:
		if o.text(fID) != nil {
			return dialect.Possible, "a " + w.name + " answer"
		}
	}
	return dialect.No, ""
}

// matchEvent judges an event.
func matchEvent(o *object, w word) (dialect.Confidence, string) {
	c := eventShape(o, w.kind)
	evidence := "the event " + w.name
	if c == dialect.No {
		return c, ""
	}
	named := o.text(fSession) != nil || o.text(fNode) != nil
	_, counted := dialect.RawUint(o.member[fEventID])
	switch {
	case named && counted:
		return dialect.Certain, evidence + " with its envelope"
	case counted:
		c = max(c, dialect.Likely)
	}
	return c, evidence
}

// eventShape judges an event's payload.
func eventShape(o *object, k kind) dialect.Confidence {
	say := func(c dialect.Confidence, needs ...field) dialect.Confidence {
		for _, f := range needs {
			if o.member[f] == nil {
				return dialect.No
			}
		}
		return c
	}
	switch k {
	case nodeExit:
		if string(o.text(fResult)) == "Ok" || dialect.RawMember(o.member[fResult], "Err") != nil {
			return say(dialect.Certain, fID)
		}
		return say(dialect.Possible, fID)
	case nodeEnter:
		return say(dialect.Likely, fID)
	case messageChunk, thoughtChunk:
		return max(say(dialect.Likely, fContent, fID), say(dialect.Possible, fContent))
	case toolCallChunk:
		return say(dialect.Likely, fDelta)
	case toolCall:
		return max(say(dialect.Likely, fCallID, fName, fArguments), say(dialect.Possible, fName, fArguments))
	case toolEnd:
		return say(dialect.Likely, fName, fResult, fIsError)
	case toolOutput:
		return say(dialect.Possible, fName, fContent)
	case toolStart, toolApproval:
		return say(dialect.Possible, fName)
	case usage:
		return say(dialect.Possible, fPrompt, fCompletion)
	case runStart:
		return max(say(dialect.Likely, fRunID, fAgent), say(dialect.Possible, fMessage), say(dialect.Possible, fRunID))
	case totExpand, totEvaluate, totBacktrack, gotPlan, gotExpand, gotNodeStart, gotNodeComplete, gotNodeFailed:
		return dialect.Likely
	case custom:
		return say(dialect.Possible, fValue)
	}
	return dialect.Possible
}

// matchUntyped judges a reply, a bundle, or an event of the single-key form.
func matchUntyped(o *object) (dialect.Confidence, string) {
	switch {
	case isArray(o.member[fEvents]) && o.has(fReply) && o.has(fStopReason):
		return dialect.Certain, "a run's events and reply in one object"
	case o.text(fReply) != nil && (o.has(fStopReason) || o.has(fEventID)) && o.text(fSession) != nil:
		return dialect.Likely, "a reply with its envelope"
	case o.text(fReply) != nil:
		return dialect.Possible, "a reply"
	case o.inside != nil && o.keys == 1:
		return matchExport(o.export, o.inside)
	}
	return dialect.No, ""
}

func matchExport(w word, v []byte) (dialect.Confidence, string) {
	evidence := "the single key " + w.name
	switch {
	case w.kind == nodeEnter && textIn(v, "node_id") != nil,
		w.kind == nodeExit && textIn(v, "node_id") != nil && dialect.RawMember(v, "result") != nil,
		w.kind == messageChunk && isObject(dialect.RawMember(v, "chunk")) && isObject(dialect.RawMember(v, "metadata")):
		return dialect.Certain, evidence
	case w.kind == values, w.kind == custom:
		return dialect.Possible, evidence
	case isObject(v):
		return dialect.Likely, evidence
	}
	return dialect.No, ""
}
