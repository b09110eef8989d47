package secrets

import (
	"bytes"
	"mime"
	"net/textproto"
	"strings"
)

// Part describes a part of a multipart body (RFC 2046, section 5.1).
type Part struct {
	Content int  // offset of the content, bytes; the length of the text if the head does not end in it
	Secret  bool // the content is a secret by the name of the part
	File    bool // the content is a file that is not declared as JSON
}

// Part describes the part that a text begins with. The text begins with the line of the delimiter.
func (n Names) Part(text []byte) Part {
	line := lineEnd(text, 0) // after the delimiter
	part := Part{Content: len(text)}
	var disposition, media string
	field := (*string)(nil) // the value of the current header field
	for line < len(text) {
		next := lineEnd(text, line)
		row := bytes.TrimRight(text[line:next], "\r\n")
		switch {
		case len(row) == 0:
			part.Content, next = next, len(text)
		case row[0] == ' ' || row[0] == '\t': // the field continues
			if field != nil {
				*field += string(row)
			}
		default:
			name, value, _ := bytes.Cut(row, []byte(":"))
			switch field = nil; textproto.CanonicalMIMEHeaderKey(string(bytes.TrimSpace(name))) {
			case "Content-Disposition":
				field = &disposition
			case "Content-Type":
				field = &media
			}
			if field != nil {
				*field = string(bytes.TrimSpace(value))
			}
		}
		line = next
	}
	name, file := dispositionOf(disposition)
	media, _, _ = strings.Cut(media, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	part.Secret = name != "" && n.Query(name)
	part.File = file && media != "application/json" && !strings.HasSuffix(media, "+json")
	return part
}

// dispositionOf returns the name of a part, and whether the part is a file.
func dispositionOf(value string) (name string, file bool) {
	if _, params, err := mime.ParseMediaType(value); err == nil {
		_, file = params["filename"]
		return params["name"], file
	}
	for param := range strings.SplitSeq(value, ";") { // not in the form of RFC 6266
		switch key, text, ok := strings.Cut(strings.TrimSpace(param), "="); {
		case !ok:
		case strings.EqualFold(key, "name") && name == "":
			name = strings.Trim(text, `" `)
		case strings.EqualFold(key, "filename"), strings.EqualFold(key, "filename*"):
			file = true
		}
	}
	return name, file
}

// MaskPart replaces the content of a part that is a secret by its name, and secret strings in a
// part that is JSON, by Mask. The line end before the next delimiter stays. In all other respects
// it behaves like MaskMembers.
func (n Names) MaskPart(text []byte) (masked []byte, cuts []Cut) {
	part := n.Part(text)
	content := text[part.Content:]
	end := len(text) - len(content) + len(bytes.TrimSuffix(bytes.TrimSuffix(content, []byte("\n")), []byte("\r")))
	switch {
	case part.Secret && end > part.Content && string(text[part.Content:end]) != Mask:
		masked = append(append(append(masked, text[:part.Content]...), Mask...), text[end:]...)
		return masked, []Cut{{part.Content, end, len(Mask)}}
	case part.Secret, part.File:
		return text, nil
	}
	masked, cuts = n.MaskMembers(content)
	if cuts == nil {
		return text, nil
	}
	for i := range cuts {
		cuts[i].From += part.Content
		cuts[i].To += part.Content
	}
	return append(bytes.Clone(text[:part.Content]), masked...), cuts
}

// lineEnd returns the offset after the line that begins at byte i.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}
