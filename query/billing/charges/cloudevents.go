package charges

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"tapedeck/query/tabular"
)

// eventType is the type of the events of charges.
const eventType = "tapedeck.charge.v1"

// events writes CloudEvents in the structured JSON format of version 1.0, one on each line. The
// source names the tenant's usage, and the subject is the id of the session.
type events struct {
	w    io.Writer
	line []byte
}

func newEvents(w io.Writer, _ string, _ tabular.Cells) (writer, error) { return &events{w: w}, nil }

func (e *events) write(c *Charge) error {
	out := appendText(append(e.line[:0], `{"specversion":"1.0","id":`...), c.ChargeID)
	out = appendText(append(out, `,"source":`...), "/tapedeck/"+url.PathEscape(c.Tenant)+"/usage")
	out = appendText(append(out, `,"type":`...), eventType)
	if c.SessionID != "" {
		out = appendText(append(out, `,"subject":`...), attribute(c.SessionID))
	}
	out = append(c.At.AppendFormat(append(out, `,"time":"`...), time.RFC3339Nano), '"')
	out = appendCharge(append(out, `,"datacontenttype":"application/json","data":`...), c)
	e.line = append(out, "}\n"...)
	_, err := e.w.Write(e.line)
	return err
}

func (e *events) end() error { return nil }

// attribute returns a text as the value of an event's attribute. Characters that the type String
// does not allow (CloudEvents 1.0, Type System) are percent-encoded.
func attribute(s string) string {
	if strings.IndexFunc(s, forbidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !forbidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// forbidden reports whether a character is a control character or a noncharacter.
func forbidden(r rune) bool {
	return r < 0x20 || 0x7f <= r && r <= 0x9f || 0xfdd0 <= r && r <= 0xfdef || r&0xfffe == 0xfffe
}
