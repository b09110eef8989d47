package charges

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"tapedeck/query/tabular"
)

// event is a CloudEvent in the JSON format of version 1.0.
type event struct {
	SpecVersion     string  `json:"specversion"`
	ID              string  `json:"id"`     // of the charge
	Source          string  `json:"source"` // names the tenant's usage
	Type            string  `json:"type"`
	Subject         string  `json:"subject,omitempty"` // the id of the session
	Time            string  `json:"time"`
	DataContentType string  `json:"datacontenttype"`
	Data            *Charge `json:"data"`
}

// eventType is the type of the events of charges.
const eventType = "tapedeck.charge.v1"

// events writes a structured CloudEvent on each line.
type events struct{ *json.Encoder }

func newEvents(w io.Writer, _ string, _ tabular.Cells) (writer, error) {
	return events{tabular.NewLines(w)}, nil
}

func (e events) write(c *Charge) error {
	return e.Encode(event{
		SpecVersion: "1.0", ID: c.ChargeID, Source: "/tapedeck/" + url.PathEscape(c.Tenant) + "/usage", Type: eventType,
		Subject: attribute(c.SessionID), Time: c.At.Format(time.RFC3339Nano),
		DataContentType: "application/json", Data: c,
	})
}

func (e events) end() error { return nil }

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
