package loom

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame. Types such as "error", "usage" or "tool_call" occur in many protocols:
// other members are the evidence.
func match(in *dialect.Input) (dialect.Confidence, string) {
	var o object
	if in.JSON == nil || !o.read(in.Data) {
		return dialect.No, ""
	}
	typ := o.text(fType)
	k, known := byName[string(typ)]
	switch {
	case len(typ) == 0:
		return matchUntyped(&o)
	case !known:
		return dialect.No, ""
	case in.Direction == schema.Send:
		return matchRequest(&o, k.name)
	case k.event != nil:
		return matchEvent(&o, k)
	}
	return matchMessage(&o, k)
}

// matchRequest judges a message of a client.
func matchRequest(o *object, typ string) (dialect.Confidence, string) {
	evidence := "a " + typ + " request"
	switch {
	case typ == "run" && o.has(fMessage) && o.text(fAgent) != nil,
		typ == "cancel_run" && o.text(fRunID) != nil,
		typ == "user_messages" && o.text(fThread) != nil:
		return dialect.Likely, evidence
	case typ != "cancel_run" && byName[typ].client != nil && o.text(fID) != nil:
		return dialect.Possible, evidence
	}
	return dialect.No, ""
}

// matchMessage judges a message of a server other than an event.
func matchMessage(o *object, k *kind) (dialect.Confidence, string) {
	id := o.text(fID)
	switch {
	case k.name == typeWrapper && isObject(o.member[fEvent]) && id != nil:
		return dialect.Certain, "a run_stream_event"
	case k.name == "run_end" && id != nil && o.text(fReply) != nil:
		return dialect.Certain, "a run_end with a reply"
	case k.name == "error" && o.text(fError) != nil && bytes.HasPrefix(id, []byte("run-")):
		return dialect.Likely, "an error of a run"
	case k.name == "error" && o.text(fError) != nil:
		return dialect.Possible, "an error"
	case k.client != nil && k.name != "run" && k.name != "cancel_run" && id != nil:
		return dialect.Possible, "a " + k.name + " answer"
	}
	return dialect.No, ""
}

// matchEvent judges an event.
func matchEvent(o *object, k *kind) (dialect.Confidence, string) {
	c := k.judge(o)
	evidence := "the event " + k.name
	if c == dialect.No {
		return c, ""
	}
	session, node := o.text(fSession) != nil, o.text(fNode) != nil
	_, counted := dialect.RawUint(o.member[fEventID])
	switch {
	case counted && session && node, counted && (session || node) && c >= dialect.Likely:
		return dialect.Certain, evidence + " with its envelope"
	case counted:
		c = max(c, dialect.Likely)
	}
	return c, evidence
}

// judge judges an event's payload.
func (k *kind) judge(o *object) dialect.Confidence {
	if k.shapes == nil {
		return dialect.Possible
	}
	for _, s := range k.shapes { // the surest first
		if !o.hasAll(s.members) {
			continue
		}
		if result := o.member[fResult]; k.name == "node_exit" &&
			(string(o.text(fResult)) == "Ok" || dialect.RawMember(result, "Err") != nil) {
			return dialect.Certain
		}
		return s.sure
	}
	return dialect.No
}

func (o *object) hasAll(members []field) bool {
	for _, f := range members {
		if o.member[f] == nil {
			return false
		}
	}
	return true
}

// matchUntyped judges a reply, a bundle, or an event of the single-key form.
func matchUntyped(o *object) (dialect.Confidence, string) {
	reply := o.text(fReply) != nil
	switch {
	case isArray(o.member[fEvents]) && o.has(fReply) && o.has(fStopReason):
		return dialect.Certain, "a run's events and reply in one object"
	case reply && (o.has(fStopReason) || o.has(fEventID)) && o.text(fSession) != nil:
		return dialect.Likely, "a reply with its envelope"
	case reply:
		return dialect.Possible, "a reply"
	case o.inside != nil && o.keys == 1:
		return matchExport(o.export, o.inside)
	}
	return dialect.No, ""
}

func matchExport(k *kind, v []byte) (dialect.Confidence, string) {
	evidence := "the single key " + k.name
	node := dialect.RawText(v, "node_id") != nil
	switch {
	case k.name == "node_enter" && node,
		k.name == "node_exit" && node && dialect.RawMember(v, "result") != nil,
		k.name == "message_chunk" && isObject(dialect.RawMember(v, "chunk")) && isObject(dialect.RawMember(v, "metadata")):
		return dialect.Certain, evidence
	case k.anyJSON:
		return dialect.Possible, evidence
	case isObject(v):
		return dialect.Likely, evidence
	}
	return dialect.No, ""
}
