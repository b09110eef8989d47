package gemini

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// notes are the attributes of an assistant's message: what comes with text or in place of it.
type notes struct {
	data                       []data
	file                       string
	grounding, citations, urls string // JSON as it stood
}

// data counts the bytes of one media type.
type data struct {
	mime         string
	parts, bytes int
}

// Bounds: media types of one message, bytes of one attribute.
const (
	dataLimit = 8
	noteLimit = 64 << 10
)

// speak begins a message of the candidate if it has none yet.
func (d *decoder) speak(c *candidate) {
	if c.growing == schema.MessageThinking {
		d.stopText(c)
	}
	if c.growing == "" && (c.said == nil || c.said.Message.Complete) {
		var room [8]byte
		c.growing = schema.MessageAssistant
		d.begins(c, d.BeginText(schema.MessageAssistant, c.key(room[:0])))
	}
}

// show begins a message of the candidate for content other than text.
func (d *decoder) show(c *candidate) {
	d.speak(c)
	d.Emitter.Append(c.said, nil, d.Frame) // the message lasts until the present frame
	d.FirstToken()
}

// inline reads {"mimeType","data"}. Only the number of bytes is kept.
func (d *decoder) inline(c *candidate, v *fastjson.Value) {
	d.show(c)
	mime := dialect.Short(v.GetStringBytes("mimeType"))
	text := v.GetStringBytes("data")
	size := len(text) / 4 * 3
	for n := len(text); n > 0 && n > len(text)-2 && text[n-1] == '='; n-- {
		size--
	}
	for i := range c.notes.data {
		if x := &c.notes.data[i]; x.mime == mime {
			x.parts++
			x.bytes += size
			d.note(c)
			return
		}
	}
	if len(c.notes.data) < dataLimit {
		c.notes.data = append(c.notes.data, data{mime, 1, size})
		d.note(c)
	}
}

// remarks are the members in which a candidate describes its answer.
var remarks = [...]string{"groundingMetadata", "citationMetadata", "urlContextMetadata"}

// remark reads what a candidate states about its answer, above all its sources.
func (d *decoder) remark(c *candidate, v *fastjson.Value, raw []byte) {
	changed := false
	for i, to := range [...]*string{&c.notes.grounding, &c.notes.citations, &c.notes.urls} {
		if !dialect.IsObject(v.Get(remarks[i])) {
			continue
		}
		text := dialect.RawMember(raw, remarks[i])
		if len(text) > len("{}") && len(text) <= noteLimit && *to != string(text) {
			*to, changed = string(text), true
		}
	}
	if !changed {
		return
	}
	if c.said == nil {
		kept := c.notes
		d.resume()
		d.speak(c)
		c.notes = kept
	}
	d.note(c)
}

// note sets the notes on the message.
func (d *decoder) note(c *candidate) {
	var a dialect.Attributes
	if c.index != 0 {
		a.AddRaw("candidate", strconv.AppendInt(nil, int64(c.index), 10))
	}
	if len(c.notes.data) > 0 {
		var list dialect.List
		for _, x := range c.notes.data {
			var one dialect.Attributes
			one.AddText("mime_type", x.mime)
			one.AddRaw("parts", strconv.AppendInt(nil, int64(x.parts), 10))
			one.AddRaw("bytes", strconv.AppendInt(nil, int64(x.bytes), 10))
			list.Add([]byte(one.Text()))
		}
		a.AddRaw("inline_data", list.JSON())
	}
	a.AddRaw("file_data", []byte(c.notes.file))
	a.AddRaw("grounding", []byte(c.notes.grounding))
	a.AddRaw("citations", []byte(c.notes.citations))
	a.AddRaw("url_context", []byte(c.notes.urls))
	c.said.Attributes = a.Text()
	d.Emitter.ChangedMessage(c.said, d.Frame)
}
