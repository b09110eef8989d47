package agenthistory

import (
	"bytes"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"
)

// owners maps the ids of lines to the stream that owns them. A line that another stream owns is
// a copy: an agent that resumes or branches a session copies its lines into another file, mostly
// under the new session's id.
type owners struct {
	numbers map[string]uint32 // number of each stream
	lines   map[uint64]uint32 // the number of the stream that owns a line
}

func (o *owners) number(stream string) uint32 {
	n, ok := o.numbers[stream]
	if !ok {
		n = uint32(len(o.numbers) + 1)
		o.numbers[stream] = n
	}
	return n
}

// claim makes a stream the owner of the lines that have no owner, and returns their ids.
func (o *owners) claim(stream string, ids []uint64) (claimed idList) {
	n := o.number(stream)
	for _, id := range ids {
		if o.lines[id] == 0 {
			o.lines[id] = n
			claimed = append(claimed, id)
		}
	}
	return claimed
}

// other reports whether a stream other than this one owns one of the lines.
func (o *owners) other(stream string, ids []uint64) bool {
	n := o.number(stream)
	return slices.ContainsFunc(ids, func(id uint64) bool {
		owner := o.lines[id]
		return owner != 0 && owner != n
	})
}

// identifier computes the ids of the lines of a source.
type identifier struct {
	source *Source
	parser fastjson.Parser
	ids    []uint64
}

// of returns hashes of the ids of a line and of its message; copies of the line keep these ids. The
// list is valid until the next call. It is empty for lines from which no facts are derived.
func (n *identifier) of(raw []byte) []uint64 {
	n.ids = n.ids[:0]
	switch n.source.Agent {
	case ClaudeCode:
		n.claude(raw)
	case GeminiCLI:
		n.gemini(raw)
	case Codex:
		// The dialect recognises the copied lines of a fork, and reads the totals in them. Lines of
		// a rewritten file are identified by their text.
		n.add(n.source.own+n.source.Session+n.source.name, raw)
	default:
		if f := formats[n.source.Agent]; f != nil && f.ids != nil {
			if v, err := n.parser.ParseBytes(raw); err == nil {
				f.ids(n, v, raw)
			}
		}
	}
	return n.ids
}

func (n *identifier) claude(raw []byte) {
	v, err := n.parser.ParseBytes(raw)
	if err != nil {
		return
	}
	switch string(v.GetStringBytes("type")) {
	case "user", "assistant", "system":
		n.add("line", v.GetStringBytes("uuid"))
		n.add("message", v.GetStringBytes("message", "id"))
	}
}

func (n *identifier) gemini(raw []byte) {
	if i := slices.Index(raw, '{'); i >= 0 { // an array element follows a comma and blanks
		raw = raw[i:]
	}
	v, err := n.parser.ParseBytes(raw)
	if err == nil && v.GetStringBytes("timestamp") != nil {
		n.add("message", v.GetStringBytes("id"))
	}
}

// addLine adds the text of a line, without the characters after it, if the line counts.
func (n *identifier) addLine(counts bool, raw []byte) {
	if counts {
		n.add("text", bytes.TrimSpace(raw))
	}
}

func (n *identifier) add(kind string, id []byte) {
	if len(id) == 0 {
		return
	}
	var h xxhash.Digest
	h.Reset()
	_, _ = h.WriteString(kind)
	_, _ = h.Write(id)
	n.ids = append(n.ids, h.Sum64())
}
