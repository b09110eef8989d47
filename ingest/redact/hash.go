package redact

import (
	"encoding/binary"
	"strings"
)

// Initial values of hashes, and multipliers.
const (
	hashBegin = 14695981039346656037
	nameBegin = hashBegin + 500
	hashPrime = 0x9E3779B97F4A7C15
)

// hash hashes a text, eight bytes at a time.
func hash(h uint64, text []byte) uint64 {
	h ^= uint64(len(text)) << 32
	for len(text) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(text)) * hashPrime
		h ^= h >> 32
		text = text[8:]
	}
	last := uint64(0)
	for i, c := range text {
		last |= uint64(c) << (8 * i)
	}
	h = (h ^ last) * hashPrime
	return h ^ h>>29
}

// member returns the hash of a member's path, given the hash of its object's path and the hash of
// its name.
func member(path, name uint64) uint64 {
	h := (path + 1 ^ name) * hashPrime
	return h ^ h>>32
}

// Kinds of members whose texts are not continued by another frame.
const (
	identifies = 1 + iota // identifies the message that the other texts of the frame belong to
	constant              // has one of few values
)

// nameTable maps hashes of names to their kinds.
type nameTable [256]struct {
	hash uint64
	kind uint8
}

// kind returns the kind of a name, 0 for none.
func (t *nameTable) kind(hash uint64) uint8 {
	for i := uint8(hash); t[i].kind != 0; i++ {
		if t[i].hash == hash {
			return t[i].kind
		}
	}
	return 0
}

func (t *nameTable) add(list string, kind uint8) {
	for name := range strings.FieldsSeq(list) {
		h := hash(nameBegin, []byte(name))
		i := uint8(h)
		for t[i].kind != 0 {
			i++
		}
		t[i].hash, t[i].kind = h, kind
	}
}

var names = func() (t nameTable) {
	t.add("id index content_index contentIndex output_index item_id itemId message_id messageId "+
		"tool_call_id toolCallId call_id callId tool_use_id parent_tool_use_id node node_id agent agent_id "+
		"run_id runId thread_id threadId session_id sessionId part_id partID messageID", identifies)
	t.add("type role model", constant)
	return t
}()
