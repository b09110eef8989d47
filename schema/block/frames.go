package block

import (
	"strconv"

	"tapedeck/schema"
)

// A frame is encoded as the difference to the previous frame: a mask of the present fields, the
// fields, the time and the length of its bytes. The bytes of all frames are in a separate section,
// which compresses better.
const (
	hasSeq     = 1 << iota // seq is not the previous seq plus one
	hasKind                // direction, transport or flags differ from the previous frame
	hasType                // type differs
	hasScope               // session, run or agent differ
	hasNode                // node differs
	hasEventID             // the event id is a text; otherwise it is the previous number plus one, or absent
	hasCuts                // the bytes arrived in several reads
)

// frameWriter appends frames to the two sections.
type frameWriter struct {
	meta  writer
	raw   []byte
	count uint64
	prev  schema.Frame // its strings are owned by the dictionary
	event counter
	dict  map[string]string // the strings so far, so that each is written once; index has their indexes
	index map[string]uint64
}

func (w *frameWriter) reset() {
	w.meta.b, w.raw, w.count = w.meta.b[:0], w.raw[:0], 0
	w.prev, w.event = schema.Frame{}, counter{}
	clear(w.index)
	if len(w.dict) > dictLimit {
		clear(w.dict) // only between blocks: within a block, index refers to dict
	}
}

func (w *frameWriter) add(f *schema.Frame) {
	var mask byte
	p := &w.prev
	if w.count == 0 || f.Seq != p.Seq+1 {
		mask |= hasSeq
	}
	if f.Direction != p.Direction || f.Transport != p.Transport || f.Flags != p.Flags {
		mask |= hasKind
	}
	if f.Type != p.Type {
		mask |= hasType
	}
	if f.Session != p.Session || f.Run != p.Run || f.Agent != p.Agent {
		mask |= hasScope
	}
	if f.Node != p.Node {
		mask |= hasNode
	}
	if !w.event.follows(f.EventID) {
		mask |= hasEventID
	}
	if len(f.Cuts) > 0 {
		mask |= hasCuts
	}
	m := &w.meta
	m.byte(mask)
	m.int(f.At - p.At)
	m.uint(uint64(len(f.Raw)))
	if mask&hasSeq != 0 {
		m.uint(f.Seq)
	}
	if mask&hasKind != 0 {
		m.byte(byte(f.Direction))
		m.byte(byte(f.Transport))
		m.uint(uint64(f.Flags))
	}
	if mask&hasType != 0 {
		p.Type = w.ref(f.Type)
	}
	if mask&hasScope != 0 {
		p.Session, p.Run, p.Agent = w.ref(f.Session), w.ref(f.Run), w.ref(f.Agent)
	}
	if mask&hasNode != 0 {
		p.Node = w.ref(f.Node)
	}
	if mask&hasEventID != 0 {
		m.string(f.EventID)
	}
	if mask&hasCuts != 0 {
		writeCuts(m, f)
	}
	p.Seq, p.At, p.Direction, p.Transport, p.Flags = f.Seq, f.At, f.Direction, f.Transport, f.Flags
	w.raw = append(w.raw, f.Raw...)
	w.count++
}

// ref writes a string: its index among the strings written so far, or 0 and the string itself. It
// returns the writer's own copy of the string.
func (w *frameWriter) ref(s string) string {
	if i, ok := w.index[s]; ok {
		w.meta.uint(i)
		return w.dict[s]
	}
	own, ok := w.dict[s]
	if !ok {
		own = string(append([]byte(nil), s...))
		w.dict[own] = own
	}
	w.meta.uint(0)
	w.meta.string(own)
	w.index[own] = uint64(len(w.index)) + 1
	return own
}

// dictLimit bounds the strings that a reused writer keeps between blocks.
const dictLimit = 1024

func writeCuts(m *writer, f *schema.Frame) {
	m.uint(uint64(len(f.Cuts)))
	for _, c := range f.Cuts {
		m.uint(uint64(c.Offset))
		m.int(f.At - c.At)
	}
}

// readFrames reads n frames; their bytes and strings alias the sections.
func readFrames(meta *reader, raw []byte, n int, frames []schema.Frame) []schema.Frame {
	var (
		p     schema.Frame
		event counter
		dict  []string
		rest  = reader{b: raw}
	)
	ref := func() string {
		i := meta.uint()
		if i == 0 {
			s := meta.string()
			dict = append(dict, s)
			return s
		}
		if i > uint64(len(dict)) {
			meta.fail("reference to an unknown string")
			return ""
		}
		return dict[i-1]
	}
	for range n {
		mask := meta.byte()
		p.At += meta.int()
		length := meta.uint()
		if mask&hasSeq != 0 {
			p.Seq = meta.uint()
		} else {
			p.Seq++
		}
		if mask&hasKind != 0 {
			p.Direction, p.Transport = schema.Direction(meta.byte()), schema.Transport(meta.byte())
			p.Flags = schema.Flags(meta.uint())
		}
		if mask&hasType != 0 {
			p.Type = ref()
		}
		if mask&hasScope != 0 {
			p.Session, p.Run, p.Agent = ref(), ref(), ref()
		}
		if mask&hasNode != 0 {
			p.Node = ref()
		}
		if mask&hasEventID != 0 {
			p.EventID = meta.string()
			event.set(p.EventID)
		} else {
			p.EventID = event.next()
		}
		p.Cuts = nil
		if mask&hasCuts != 0 {
			p.Cuts = readCuts(meta, p.At)
		}
		p.Raw = rest.bytes(length)
		if meta.err != nil || rest.err != nil {
			meta.fail("frame bytes cut short")
			return frames
		}
		frames = append(frames, p)
	}
	return frames
}

func readCuts(meta *reader, at int64) []schema.Cut {
	cuts := make([]schema.Cut, meta.items(2, cutMemory))
	for i := range cuts {
		cuts[i] = schema.Cut{Offset: uint32(meta.uint()), At: at - meta.int()}
	}
	return cuts
}

// counter tracks event ids that increase by one, as most do, so that they are not written.
type counter struct {
	n    uint64
	isID bool // n is the number of the last id; otherwise that id was a text or empty
	text bool // the last id was a text that is not a plain number
}

// follows advances to id and reports whether a reader can derive id from the previous ids: it is
// the next number, or there is again no id.
func (c *counter) follows(id string) bool {
	if id == "" {
		was := *c
		*c = counter{}
		return !was.isID && !was.text
	}
	n, ok := plainNumber(id)
	follows := ok && c.isID && n == c.n+1
	*c = counter{n: n, isID: ok, text: !ok}
	return follows
}

func (c *counter) set(id string) { c.follows(id) }

func (c *counter) next() string {
	if !c.isID {
		return ""
	}
	c.n++
	return strconv.FormatUint(c.n, 10)
}

// plainNumber parses a decimal number whose canonical form is the same text.
func plainNumber(s string) (uint64, bool) {
	if len(s) > 19 || s[0] < '0' || s[0] > '9' || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	var n uint64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(s[i]-'0')
	}
	return n, true
}
