package loom

import (
	"math/bits"

	"tapedeck/ingest/dialect"
)

// field is a member that this dialect reads, in any object.
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
	noField
)

// fieldNames are the members' names.
var fieldNames = [noField + 1]string{
	fType: "type", fSession: "session_id", fNode: "node_id", fEventID: "event_id", fID: "id", fContent: "content",
	fCallID: "call_id", fName: "name", fArguments: "arguments", fDelta: "arguments_delta", fResult: "result",
	fIsError: "is_error", fRawResult: "raw_result", fReply: "reply", fReasoning: "reasoning_content",
	fStopReason: "stop_reason", fEvents: "events", fEvent: "event", fError: "error", fMessage: "message",
	fAgent: "agent", fRunID: "run_id", fThread: "thread_id", fModel: "model", fUsage: "usage",
	fTotalUsage: "total_usage", fPrompt: "prompt_tokens", fCompletion: "completion_tokens", fTotal: "total_tokens",
	fPromptDetails: "prompt_tokens_details", fCompletionDetails: "completion_tokens_details", fValue: "value",
	fResultSummary: "result_summary", fChunk: "chunk", fMetadata: "metadata", fNamespace: "namespace",
}

// fieldAt holds the fields by the hashes of their names, which are all different: one comparison
// finds a field, which is faster than a map.
var fieldAt = func() (at [128]field) {
	for i := range at {
		at[i] = noField
	}
	for f, name := range fieldNames[:noField] {
		at[fieldHash([]byte(name))] = field(f)
	}
	return at
}()

func fieldHash(key []byte) uint8 { return (uint8(len(key))*7 + key[0]*6 + key[len(key)-1]) & 127 }

// fieldOf returns the field of a key.
func fieldOf(key []byte) field {
	if len(key) == 0 {
		return noField
	}
	f := fieldAt[fieldHash(key)]
	if fieldNames[f] != string(key) {
		return noField
	}
	return f
}

// object holds the members of one JSON object that this dialect reads, as JSON. It scans an
// object once, as lookups by name would compare all keys for each.
type object struct {
	member [noField + 1][]byte // the value of noField is nil
	set    uint64              // a bit for each member that exists
	export *kind               // a key of the single-key form
	inside []byte
	other  []byte // a key that resembles one
	keys   int
	room   []byte // buffer for unescaped texts
}

// roomKept bounds the buffer that is kept, bytes.
const roomKept = 64 << 10

// read scans an object. It reports whether text is one.
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

// clear releases the object, which aliases the frame.
func (o *object) clear() {
	for ; o.set != 0; o.set &= o.set - 1 {
		o.member[bits.TrailingZeros64(o.set)] = nil
	}
	o.export, o.inside, o.other, o.keys = nil, nil, nil, 0
	if o.room = o.room[:0]; cap(o.room) > roomKept {
		o.room = nil
	}
}

// take keeps a member. Of several with one name it keeps the first.
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
	if k, ok := byExport[string(key)]; ok {
		o.export, o.inside = k, value
	} else {
		o.other = key
	}
}

func (o *object) put(f field, value []byte) {
	o.member[f] = value
	o.set |= 1 << f
}

// text returns a member's text, or nil if it is missing or not a string.
func (o *object) text(f field) (text []byte) {
	text, o.room = dialect.Unquote(o.member[f], o.room)
	return text
}

// has reports whether the member exists and is not null.
func (o *object) has(f field) bool { return isThere(o.member[f]) }

func isThere(value []byte) bool  { return len(value) > 0 && value[0] != 'n' }
func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }
func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isArray(value []byte) bool  { return len(value) > 0 && value[0] == '[' }
