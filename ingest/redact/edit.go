package redact

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"iter"
	"slices"
	"strconv"

	"tapedeck/schema"
)

// edit replaces bytes [from, to) of a frame by a placeholder.
type edit struct {
	from, to int
	rule     *Rule
	sum      [32]byte // hash of the secret
	length   int32    // length of the whole secret, bytes
	rest     bool     // continues a secret whose placeholder is in an earlier place
}

// apply masks the secrets in a copy of the frame's bytes and flags the frame.
func (m *Masker) apply(f *schema.Frame, edits []edit) {
	if len(edits) == 0 {
		return
	}
	edits = merged(edits)
	f.Cuts = slices.Clone(f.Cuts) // the caller owns the original
	raw := make([]byte, 0, len(f.Raw)+16*len(edits))
	last, shift, cut := 0, 0, 0
	for _, e := range edits {
		for ; cut < len(f.Cuts) && int(f.Cuts[cut].Offset) <= e.from; cut++ {
			f.Cuts[cut].Offset = uint32(int(f.Cuts[cut].Offset) + shift)
		}
		raw = append(raw, f.Raw[last:e.from]...)
		if !e.rest {
			mask := placeholder(e.rule.ID, m.number(&e))
			raw = append(raw, mask...)
			if m.report != nil {
				m.report(f, Found{e.rule.ID, mask, e.from, e.to - e.from})
			}
			m.counts[e.rule.ID]++
			masked.WithLabelValues(e.rule.ID).Inc()
		}
		for ; cut < len(f.Cuts) && int(f.Cuts[cut].Offset) < e.to; cut++ { // a read that ended within the secret
			f.Cuts[cut].Offset = uint32(len(raw))
		}
		last, shift = e.to, len(raw)-e.to
	}
	for ; cut < len(f.Cuts); cut++ {
		f.Cuts[cut].Offset = uint32(int(f.Cuts[cut].Offset) + shift)
	}
	raw = append(raw, f.Raw[last:]...)
	if !composed(f.Raw) && json.Valid(f.Raw) && !json.Valid(raw) { // a number or a string that was part of a text
		raw, _ = json.Marshal(string(raw))
		f.Cuts = nil
	}
	if f.Transport == schema.EventStream {
		seal(raw, len(f.Raw))
	}
	f.Raw = raw
	f.Flags |= schema.FlagRedacted
}

// merged sorts edits, and joins edits that overlap or belong to one secret. If two edits begin at
// the same byte, the placeholder names the more specific rule; if the rules are equally specific,
// the rule of the longer secret.
func merged(edits []edit) []edit {
	slices.SortStableFunc(edits, func(a, b edit) int {
		weak := func(e edit) int {
			switch {
			case e.rule.Judge != nil && e.rule.ID != parameterID: // matches by a name alone
				return 2
			case e.rule.Weak:
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(weak(a), weak(b)), cmp.Compare(b.length, a.length))
	})
	out := edits[:1]
	for _, e := range edits[1:] {
		last := &out[len(out)-1]
		same := e.rest && e.rule == last.rule && e.sum == last.sum // the next piece of the same secret
		if e.from > last.to || e.from == last.to && !same {
			out = append(out, e)
			continue
		}
		last.to = max(last.to, e.to)
		last.rest = last.rest && e.rest
	}
	return out
}

// maskBegin is the beginning of each placeholder.
const maskBegin = "[redacted"

// byName is the rule name under which the values that ByName masked are counted.
const byName = "by-name"

func placeholder(id string, number int) string {
	return maskBegin + ":" + id + "#" + strconv.Itoa(number) + "]"
}

// Masks yields the rule of each placeholder in a frame. A rule is yielded once for each of its
// placeholders.
func Masks(raw []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rule := range masks(raw) {
			if !yield(rule) {
				return
			}
		}
	}
}

// masks yields the rule and the number of each placeholder.
func masks(raw []byte) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for {
			at := bytes.Index(raw, []byte(maskBegin))
			if at < 0 {
				return
			}
			raw = raw[at+len(maskBegin):]
			if bytes.HasPrefix(raw, []byte("]")) && !yield(byName, 0) {
				return
			}
			rule, rest, _ := bytes.Cut(raw[:min(len(raw), longestMask)], []byte("#"))
			rule, colon := bytes.CutPrefix(rule, []byte(":"))
			digits, _, ended := bytes.Cut(rest, []byte("]"))
			number, err := strconv.Atoi(string(digits))
			if colon && ended && err == nil && named.Match(rule) && !yield(string(rule), number) {
				return
			}
		}
	}
}

// longestMask bounds the length of a placeholder after maskBegin, bytes.
const longestMask = 64 + len(":#9223372036854775807]")

// seal corrects the lengths and checksums of an event-stream message after the length of its
// payload has changed. before is the length of the message before the change, bytes.
func seal(raw []byte, before int) {
	total, _, ok := schema.EventLengths(raw)
	if !ok || total != before || len(raw) < schema.EventLeast {
		return
	}
	binary.BigEndian.PutUint32(raw, uint32(len(raw)))
	binary.BigEndian.PutUint32(raw[8:], crc32.ChecksumIEEE(raw[:8]))
	end := len(raw) - 4
	binary.BigEndian.PutUint32(raw[end:], crc32.ChecksumIEEE(raw[:end]))
}
