package dialects

import (
	"cmp"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/generic"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// covers has the names of members in which an event may be wrapped. Gateways send the events of
// one protocol inside of messages of their own, often over a WebSocket:
// {"channel":"x","data":{…}}, or {"data":"{…}"}.
var covers = []string{"event", "data", "payload", "message", "body", "chunk", "frame"}

// unwrapping makes a dialect that also reads its frames out of a cover, as if they came without
// it.
func unwrapping(d dialect.Dialect) dialect.Dialect {
	out := d
	out.Match = func(in *dialect.Input) (dialect.Confidence, string) {
		sure, why := d.Match(in)
		if sure >= dialect.Likely {
			return sure, why
		}
		if name, inside := coverOf(&d, in, dialect.Likely); name != "" {
			_, what := d.Match(&inside)
			return dialect.Likely, what + ", inside of " + name
		}
		return sure, why
	}
	if d.Time != nil {
		out.Time = func(in *dialect.Input) int64 {
			if at := d.Time(in); at != 0 {
				return at
			}
			if _, inside := coverOf(&d, in, dialect.Likely); inside.JSON != nil {
				return d.Time(&inside)
			}
			return 0
		}
	}
	out.New = func(streamID string) dialect.Decoder {
		return &unwrapper{of: &d, inner: d.New(streamID), outer: generic.Dialect.New(streamID)}
	}
	return out
}

// coverOf returns the member in which a frame has a message of the dialect, with at least the
// confidence sure. The name is "" if there is none.
func coverOf(d *dialect.Dialect, in *dialect.Input, sure dialect.Confidence) (name string, inside dialect.Input) {
	if in.JSON == nil || in.JSON.Type() != fastjson.TypeObject {
		return "", dialect.Input{}
	}
	for _, name := range covers {
		inside, ok := open(in, name)
		if !ok {
			continue
		}
		if found, _ := d.Match(&inside); found >= sure {
			return name, inside
		}
	}
	return "", dialect.Input{}
}

// open reads an event from a member: an object, or a string of JSON.
func open(in *dialect.Input, name string) (inside dialect.Input, ok bool) {
	value := in.JSON.Get(name)
	if value == nil {
		return dialect.Input{}, false
	}
	inside = dialect.Input{Frame: in.Frame}
	switch value.Type() {
	case fastjson.TypeObject:
		inside.Data, inside.JSON = dialect.RawMember(in.Data, name), value
	case fastjson.TypeString:
		text := value.GetStringBytes()
		if len(text) == 0 || text[0] != '{' {
			return dialect.Input{}, false
		}
		parsed, err := fastjson.ParseBytes(text)
		if err != nil || !wellformed.JSON(text) {
			return dialect.Input{}, false
		}
		inside.Data, inside.JSON = text, parsed
	default:
		return dialect.Input{}, false
	}
	return inside, true
}

// unwrapper decodes frames unchanged until one is found in a cover, and from then on the messages
// in that cover.
type unwrapper struct {
	of      *dialect.Dialect
	inner   dialect.Decoder
	outer   dialect.Decoder // reads messages of the gateway itself
	cover   string
	settled bool
	looked  int
}

// lookFor bounds the frames that are searched for a cover.
const lookFor = 2 * Bound

// Decode implements dialect.Decoder.
func (u *unwrapper) Decode(in *dialect.Input, b *dialect.Emitter) {
	cover := u.cover
	if !u.settled {
		cover = u.look(in)
	}
	if cover == "" || in.JSON == nil {
		u.inner.Decode(in, b)
		return
	}
	bare, _ := u.of.Match(in)
	inside, ok := open(in, cover)
	if bare >= dialect.Likely || bare == dialect.Possible && !ok {
		u.inner.Decode(in, b) // the cover was misjudged, or the stream has both forms
		return
	}
	u.outer.Decode(in, b)
	if !ok {
		return // the message is the gateway's own
	}
	gateway := in.Envelope
	in.Envelope = schema.Envelope{}
	u.inner.Decode(&inside, b)
	in.Session = cmp.Or(in.Session, gateway.Session)
	in.Run = cmp.Or(in.Run, gateway.Run)
	in.EventID = cmp.Or(in.EventID, gateway.EventID)
}

// ReadsText implements dialect.TextReader.
func (u *unwrapper) ReadsText() bool {
	inner, ok := u.inner.(dialect.TextReader)
	return ok && u.settled && u.cover == "" && inner.ReadsText()
}

// look decides whether frames are wrapped, by the first frame that the dialect recognises. It
// returns the cover of this frame, which may be only Likely so far.
func (u *unwrapper) look(in *dialect.Input) (cover string) {
	if in.JSON == nil || in.Direction == schema.Send && in.Transport == schema.HTTP {
		return ""
	}
	u.looked++
	bare, _ := u.of.Match(in)
	if bare >= dialect.Likely {
		u.settled = true
		return ""
	}
	u.cover, _ = coverOf(u.of, in, dialect.Likely)
	u.settled = u.cover != "" || u.looked >= lookFor
	if cover = u.cover; cover == "" && bare == dialect.No {
		cover, _ = coverOf(u.of, in, dialect.Possible)
	}
	return cover
}

// End implements dialect.Decoder.
func (u *unwrapper) End(at int64, b *dialect.Emitter) { u.inner.End(at, b) }

// wrappable makes every dialect of a list read its frames out of covers as well, except the last,
// which reads anything.
func wrappable(list []dialect.Dialect) []dialect.Dialect {
	list = slices.Clone(list)
	for i := range list[:len(list)-1] {
		list[i] = unwrapping(list[i])
	}
	return list
}
