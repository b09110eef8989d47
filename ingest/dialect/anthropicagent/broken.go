package anthropicagent

import (
	"bytes"

	"tapedeck/ingest/dialect"
)

// brokenLines returns what a frame adds to the markup. A server that does not escape newlines
// breaks SSE. The text after a newline is then in lines without a field name, and after a blank
// line in frames without data, which no other dialect reads. An event that ends in blank lines
// has several such frames.
func (d *decoder) brokenLines(in *dialect.Input) []byte {
	raw := in.Raw
	if in.Seq == 0 {
		raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	}
	out := d.room[:0]
	lines, broken, fields := 0, false, false
	for len(raw) > 0 {
		var line []byte
		line, raw = cutLine(raw)
		if len(line) == 0 {
			continue
		}
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case isData:
			line = bytes.TrimPrefix(value, []byte(" "))
			fields = true
		case line[0] == ':':
			continue // a comment
		case len(in.Data) > 0 && !fields:
			continue // an id or another field
		default:
			broken = true
		}
		if lines > 0 {
			out = append(out, '\n')
			broken = true
		}
		out = append(out, line...)
		lines++
	}
	d.room = out[:0]
	m := &d.markup
	switch {
	case fields && !broken:
		return in.Data
	case fields:
		m.verbatim = true
		if !bytes.HasPrefix(out, firstLine(in.Data)) {
			return in.Data // the data was extracted from another message
		}
		return out
	case lines == 0 && !isBlank(in.Raw), !m.inside():
		return nil
	case lines == 0: // a blank line alone
		m.verbatim = true
		return []byte("\n")
	}
	m.verbatim = true
	return append([]byte("\n\n"), out...)
}

func firstLine(data []byte) []byte {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return line
}

func isBlank(raw []byte) bool { return len(bytes.TrimRight(raw, "\r\n")) == 0 }

// cutLine splits off the first line. Lines end with CR LF, LF or CR.
func cutLine(p []byte) (line, rest []byte) {
	i := bytes.IndexAny(p, "\r\n")
	if i < 0 {
		return p, nil
	}
	if p[i] == '\r' && i+1 < len(p) && p[i+1] == '\n' {
		return p[:i], p[i+2:]
	}
	return p[:i], p[i+1:]
}
