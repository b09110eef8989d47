package dialect

import (
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/schema"
)

// StatedLimit is a limit as a frame stated it. Session is the id that the frame names, "" if it
// names none. Seq is the number of the frame.
type StatedLimit struct {
	Session string
	Seq     uint64
	schema.Limit
}

// statedLimits are the limits that were stated since they were last taken: the last statement of
// each name in each session.
type statedLimits struct {
	list  []StatedLimit
	index map[[2]string]int
	seq   uint64 // the frame of the latest statement
	count int    // how many limits that frame stated
}

// SetLimit records what frame f states of a limit. The caller sets all of it but At. A statement of
// the same name in the same session replaces it. A limit that states nothing within the bounds of
// schema.Limit is left out, and so are those of a frame beyond schema.MaxLimits.
func (b *Emitter) SetLimit(session string, l schema.Limit, f *schema.Frame) {
	ls := &b.limits
	if ls.seq != f.Seq {
		ls.seq, ls.count = f.Seq, 0
	}
	if ls.count >= schema.MaxLimits || !l.Sound() {
		return
	}
	ls.count++
	l.At = f.At
	if i, has := ls.index[[2]string{session, l.Name}]; has {
		ls.list[i].Seq, ls.list[i].Limit = f.Seq, l
		return
	}
	if ls.index == nil {
		ls.index = map[[2]string]int{}
	}
	session = strings.Clone(session)
	ls.index[[2]string{session, l.Name}] = len(ls.list)
	ls.list = append(ls.list, StatedLimit{session, f.Seq, l})
}

// TakeLimits returns the limits that were stated since the last call, in the order of their first
// statement.
func (b *Emitter) TakeLimits() []StatedLimit {
	list := b.limits.list
	b.limits.list = nil
	clear(b.limits.index)
	return list
}

// LimitNumber returns a number, or the number in a string, for a field of a schema.Limit. It returns
// nil for any other value.
func LimitNumber(v *fastjson.Value) *float64 {
	if v == nil {
		return nil
	}
	if v.Type() == fastjson.TypeString {
		return ParseLimitNumber(v.GetStringBytes())
	}
	if n, err := v.Float64(); err == nil {
		return &n
	}
	return nil
}

// ParseLimitNumber is LimitNumber for a text.
func ParseLimitNumber(text []byte) *float64 {
	if strings.Trim(Alias(text), "+-.eE0123456789") != "" {
		return nil // such as NaN, which is no number in JSON
	}
	if n, err := strconv.ParseFloat(Alias(text), 64); err == nil {
		return &n
	}
	return nil
}

// LimitSeconds returns a whole number of seconds, s. It returns 0 for any other value and for one
// beyond an int64.
func LimitSeconds(v *fastjson.Value) int64 { return seconds(LimitNumber(v)) }

// ParseLimitSeconds is LimitSeconds for a text.
func ParseLimitSeconds(text []byte) int64 { return seconds(ParseLimitNumber(text)) }

func seconds(n *float64) int64 {
	if n == nil || !(*n > 0 && *n < 1e15) {
		return 0
	}
	return int64(*n)
}

// LimitTime returns a time, s since 1970: a number of seconds, or a text in RFC 3339. It returns 0
// for any other value.
func LimitTime(v *fastjson.Value) int64 {
	if at := TextTime(v.GetStringBytes()); at != 0 {
		return at / 1e9
	}
	return LimitSeconds(v)
}

// ParseLimitTime is LimitTime for a text.
func ParseLimitTime(text []byte) int64 {
	if at := TextTime(text); at != 0 {
		return at / 1e9
	}
	return ParseLimitSeconds(text)
}
