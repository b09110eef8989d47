package loom

import (
	"math/bits"

	"tapedeck/ingest/dialect"
)

// field is a member that this dialect reads, in whatever object it stands.
type field uint8

const (
	fType field = iota
	fSession
	fNode
	fEventID
	fID
	fContent
	fCallID
	fName
	fArguments
	fDelta
	fResult
	fIsError
	fRawResult
	fReply
	fReasoning
	fStopReason
	fEvents
	fEvent
	fError
	fMessage
	fAgent
	fRunID
	fThread
	fModel
	fUsage
	fTotalUsage
	fPrompt
	fCompletion
	fTotal
	fPromptDetails
	fCompletionDetails
	fValue
	fResultSummary
	fChunk
	fMetadata
	fNamespace
	fToolName
	fSummary
	fieldCount
	noField
)

// fieldOf names a key. The compiler turns this into comparisons of length and
// bytes, which is faster than any map.
func fieldOf(key []byte) field {
	switch string(key) {
	case "type":
		return fType
	case "session_id":
		return fSession
	case "node_id":
		return fNode
	case "event_id":
		return fEventID
	case "id":
		return fID
	case "content":
		return fContent
	case "call_id":
		return fCallID
	case "name":
		return fName
	case "arguments":
		return fArguments
	case "arguments_delta":
		return fDelta
	case "result":
		return fResult
	case "is_error":
		return fIsError
	case "raw_result":
		return fRawResult
	case "reply":
		return fReply
	case "reasoning_content":
		return fReasoning
	case "stop_reason":
		return fStopReason
	case "events":
		return fEvents
	case "event":
		return fEvent
	case "error":
		return fError
	case "message":
		return fMessage
	case "agent":
		return fAgent
	case "run_id":
		return fRunID
	case "thread_id":
		return fThread
	case "model":
		return fModel
	case "usage":
		return fUsage
	case "total_usage":
		return fTotalUsage
	case "prompt_tokens":
		return fPrompt
	case "completion_tokens":
		return fCompletion
	case "total_tokens":
		return fTotal
	case "prompt_tokens_details":
		return fPromptDetails
	case "completion_tokens_details":
		return fCompletionDetails
	case "value":
		return fValue
	case "result_summary":
		return fResultSummary
	case "chunk":
		return fChunk
	case "metadata":
		return fMetadata
	case "namespace":
		return fNamespace
	case "tool_name":
		return fToolName
	case "summary":
		return fSummary
	}
	return noField
}

// object holds the members of one JSON object that this dialect reads, as they
// stand in its text. Every object is gone over once: looking members up by
// name would compare all keys for each.
type object struct {
	member [fieldCount][]byte
	set    uint64 // a bit for each of them that is there
	export word   // a key of the single-key form, and what it holds
	inside []byte
	other  []byte // a key that looks like one and is none
	keys   int
	room   []byte // for texts whose escapes were undone
}

// roomKept bounds the room that is kept for other frames, bytes.
const roomKept = 64 << 10

// read takes in an object and reports whether text is one.
func (o *object) read(text []byte) bool {
	members, ok := dialect.MembersOf(text)
	if !ok {
		return false
	}
	for {
		key, value, more := members.Next()
		if !more {
			return true
		}
		o.take(key, value)
	}
}

// clear forgets the object: what it points at is not the decoder's.
func (o *object) clear() {
	for ; o.set != 0; o.set &= o.set - 1 {
		o.member[bits.TrailingZeros64(o.set)] = nil
	}
	o.export, o.inside, o.other, o.keys = word{}, nil, nil, 0
	if o.room = o.room[:0]; cap(o.room) > roomKept {
		o.room = nil
	}
}

// take notes a member; of several with one name the first.
func (o *object) take(key, value []byte) {
	o.keys++
	f := fieldOf(key)
	if f != noField {
		if o.set&(1<<f) == 0 {
			o.put(f, value)
		}
		return
	}
	if o.inside != nil || len(key) == 0 || key[0] < 'A' || key[0] > 'Z' {
		return
	}
	if w, ok := byExport[string(key)]; ok {
		o.export, o.inside = w, value
	} else {
		o.other = key
	}
}

func (o *object) put(f field, value []byte) {
	o.member[f] = value
	o.set |= 1 << f
}

// text is a member's text: nil where it is missing or no string.
func (o *object) text(f field) (text []byte) {
	text, o.room = dialect.Unquote(o.member[f], o.room)
	return text
}

// has reports whether the member is there and not null.
func (o *object) has(f field) bool { return isThere(o.member[f]) }

func isThere(value []byte) bool  { return len(value) > 0 && value[0] != 'n' }
func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }
func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isArray(value []byte) bool  { return len(value) > 0 && value[0] == '[' }

// textIn is the text of a member of an object that is read for that alone.
func textIn(value []byte, name string) []byte {
	text, _ := dialect.Unquote(dialect.RawMember(value, name), nil)
	return text
}
