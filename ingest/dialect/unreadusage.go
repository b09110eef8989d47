package dialect

import (
	"bytes"
	"strings"

	"tapedeck/schema"
)

// Read makes a decoder read a frame. In every dialect, it marks a frame of an unknown type that
// states a number of used tokens but from which no usage was recorded.
func (b *Emitter) Read(d Decoder, in *Input) {
	before := b.used
	d.Decode(in, b)
	doubted := in.Flags.Has(schema.FlagUnknownType) || in.Flags.Has(schema.FlagUnreadUsage)
	in.Flags &^= schema.FlagUnreadUsage
	if _, free := d.(FactFree); b.used != before || !doubted && !free || in.JSON == nil || in.Flags.Has(schema.FlagEventRepeat) {
		return
	}
	if statesUsage(in.Data, usageDepth) {
		in.Flags |= schema.FlagUnreadUsage
	}
}

// FactFree is a Decoder that derives no facts from any frame.
type FactFree interface {
	Decoder
	FactFree()
}

// Bounds of the search for usage in a frame: levels of objects, and members of each.
const (
	usageDepth  = 4
	membersRead = 128
)

// statesUsage reports whether an object has a usage with a number of tokens other than 0.
func statesUsage(object []byte, depth int) bool {
	if depth == 0 || !bytes.Contains(object, []byte("sage")) {
		return false
	}
	members, ok := MembersOf(object)
	for n := 0; ok && n < membersRead; n++ {
		var name, value []byte
		if name, value, ok = members.Next(); !ok || len(value) == 0 || value[0] != '{' {
			continue
		}
		if isUsageName(name) && countsTokens(value) || statesUsage(value, depth-1) {
			return true
		}
	}
	return false
}

// isUsageName reports whether a member's name is one by which providers name the usage of an
// answer: usage, usageMetadata, usage_metadata, token_usage, tokenUsage.
func isUsageName(name []byte) bool {
	switch strings.ReplaceAll(strings.ToLower(Alias(name)), "_", "") {
	case "usage", "usagemetadata", "tokenusage":
		return true
	}
	return false
}

// countsTokens reports whether a usage has a member whose name contains "token" and whose value is
// a number other than 0, also in an object of its own.
func countsTokens(usage []byte) bool {
	members, ok := MembersOf(usage)
	for n := 0; ok && n < membersRead; n++ {
		var name, value []byte
		if name, value, ok = members.Next(); !ok || len(value) == 0 {
			continue
		}
		if value[0] == '{' && countsTokens(value) {
			return true
		}
		if count, is := RawUint(value); is && count > 0 && value[0] != '"' && bytes.Contains(bytes.ToLower(name), []byte("token")) {
			return true
		}
	}
	return false
}
