package ingesthttp

import (
	"bytes"
	"strings"

	"tapedeck/ingest/delivery/keys"
	"tapedeck/schema"
)

// standIn returns the bytes of a frame of the log for the framer, which must divide them as it
// divided what was sent. Masked bytes are brought to the length that was sent, which matters at the
// frame limit. Only placeholders and the end of the text change. If a line end was masked too, all
// but the line end is filled up. The lengths in an unbroken message of an event stream are those of
// the masked message, so it stays as it is.
func standIn(f *schema.Frame, sent keys.Sent) []byte {
	raw := f.Raw
	switch {
	case !sent.Masked, f.Transport == schema.EventStream && !f.Flags.Has(schema.FlagOversize):
		return raw
	case f.Transport != schema.EventStream && !bytes.HasSuffix(raw, []byte(sent.LineEnd)):
		return []byte(strings.Repeat("x", sent.Length-len(sent.LineEnd)) + sent.LineEnd)
	}
	if missing := sent.Length - len(raw); missing > 0 {
		at := placeholder(raw)
		return bytes.Join([][]byte{raw[:at], bytes.Repeat([]byte("x"), missing), raw[at:]}, nil)
	}
	return shortened(raw, len(raw)-sent.Length)
}

const maskBegin = "[redacted"

// placeholder returns the place for filling bytes: within a placeholder, else before the line end.
func placeholder(raw []byte) int {
	if at := bytes.Index(raw, []byte(maskBegin)); at >= 0 {
		return at + len(maskBegin)
	}
	return len(bytes.TrimRight(raw, "\r\n"))
}

// shortened removes n bytes from placeholders.
func shortened(raw []byte, n int) []byte {
	short := make([]byte, 0, len(raw))
	for n > 0 {
		at := bytes.Index(raw, []byte(maskBegin))
		end := bytes.IndexByte(raw[max(at, 0):], ']') + 1
		if at < 0 || end == 0 {
			break
		}
		gone := min(n, end)
		short = append(short, raw[:at]...)
		raw, n = raw[at+gone:], n-gone
	}
	return append(short, raw...)
}
