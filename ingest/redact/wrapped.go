package redact

import (
	"bytes"
	"encoding/base64"

	"tapedeck/schema"
)

// wrapped is a frame of which only an enclosed message is masked: the payload of a NATS message, or
// the base64 message in the member "bytes" of an event-stream payload, in which Amazon Bedrock
// sends the chunks of a model's answer.
type wrapped struct {
	raw      []byte // bytes of the frame; nil for a frame without an enclosed message
	from, to int    // range of the base64 in raw
	cuts     []schema.Cut
	head     []byte // masked head of a NATS message; nil for other frames
}

var wrapping = []byte(`"bytes":"`)

// unwrap replaces the bytes of a frame by the message enclosed in it, if there is one.
func (m *Masker) unwrap(f *schema.Frame) (w wrapped) {
	if f.Transport == schema.NATS {
		return m.unwrapNATS(f)
	}
	if f.Transport != schema.EventStream {
		return w
	}
	event, ok := schema.ParseEventMessage(f.Raw)
	at := bytes.Index(event.Payload, wrapping)
	if !ok || at < 0 {
		return w
	}
	begin := len(f.Raw) - 4 - len(event.Payload) + at + len(wrapping)
	n := bytes.IndexByte(f.Raw[begin:], '"')
	if n <= 0 {
		return w
	}
	message, err := base64.StdEncoding.AppendDecode(nil, f.Raw[begin:begin+n])
	if err != nil || !opens(message) {
		return w
	}
	w = wrapped{raw: f.Raw, from: begin, to: begin + n, cuts: f.Cuts}
	f.Raw, f.Cuts = message, nil
	return w
}

// unwrapNATS masks the head of a NATS message, and replaces the bytes of the frame by the payload.
func (m *Masker) unwrapNATS(f *schema.Frame) (w wrapped) {
	if f.Flags&(schema.FlagOversize|schema.FlagNote) != 0 {
		return w
	}
	head, payload := schema.CutNATS(f.Raw)
	if head == nil {
		return w
	}
	w = wrapped{raw: f.Raw, head: head}
	if masked := m.Text(string(head)); masked != string(head) {
		w.head = []byte(masked)
		f.Flags |= schema.FlagRedacted
	}
	f.Raw = payload
	return w
}

// rewrap restores the frame around the message, and encodes the message again if it was masked.
func (w *wrapped) rewrap(f *schema.Frame, masked bool) {
	if w.raw == nil {
		return
	}
	message := f.Raw
	f.Raw, f.Cuts = w.raw, w.cuts
	if w.head != nil {
		if masked || f.Flags.Has(schema.FlagRedacted) {
			f.Raw = append(append(make([]byte, 0, len(w.head)+len(message)), w.head...), message...)
		}
		return
	}
	if !masked {
		return
	}
	raw := base64.StdEncoding.AppendEncode(append(make([]byte, 0, len(w.raw)+64), w.raw[:w.from]...), message)
	end := len(raw)
	raw = append(raw, w.raw[w.to:]...)
	f.Cuts = append([]schema.Cut(nil), w.cuts...)
	for i := range f.Cuts {
		switch at := int(f.Cuts[i].Offset); {
		case at >= w.to:
			f.Cuts[i].Offset = uint32(at + end - w.to)
		case at > w.from:
			f.Cuts[i].Offset = uint32(min(at, end))
		}
	}
	seal(raw, len(w.raw))
	f.Raw = raw
}

// clone copies the bytes that the caller owns.
func (w wrapped) clone() wrapped {
	if w.raw != nil {
		w.raw, w.cuts = bytes.Clone(w.raw), append([]schema.Cut(nil), w.cuts...)
		w.head = bytes.Clone(w.head)
	}
	return w
}
