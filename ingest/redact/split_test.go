package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/schema"
)

// record passes frames through a masker and returns what comes out.
func record(t testing.TB, m *Masker, frames []*schema.Frame) []*schema.Frame {
	t.Helper()
	var out []*schema.Frame
	pass := func(f *schema.Frame) {
		c := *f
		c.Raw = append([]byte(nil), f.Raw...)
		out = append(out, &c)
	}
	for _, f := range frames {
		before := string(f.Raw)
		backing := f.Raw
		one := *f
		m.Push(&one, pass)
		if string(backing) != before {
			t.Fatal("the caller's bytes were changed")
		}
	}
	m.End(pass)
	if len(out) != len(frames) {
		t.Fatalf("%d frames came out of %d", len(out), len(frames))
	}
	return out
}

// forms are the ways in which a text travels in frames.
var forms = map[string]func(texts []string) []*schema.Frame{
	"sse": func(texts []string) (frames []*schema.Frame) {
		for i, text := range texts {
			quoted, _ := json.Marshal(text)
			frames = append(frames, &schema.Frame{Seq: uint64(i), Transport: schema.SSE, Raw: fmt.Appendf(nil,
				"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":%s}}\n\n", quoted)})
		}
		return frames
	},
	"escaped": func(texts []string) (frames []*schema.Frame) {
		for _, text := range texts {
			var b strings.Builder
			for i := range len(text) {
				switch {
				case text[i] == '/':
					b.WriteString(`\/`)
				default:
					fmt.Fprintf(&b, `\u%04x`, text[i])
				}
			}
			frames = append(frames, &schema.Frame{Transport: schema.NDJSON, Raw: []byte(`{"choices":[{"delta":{"content":"` + b.String() + `"}}]}` + "\n")})
		}
		return frames
	},
	"websocket, interleaved": func(texts []string) (frames []*schema.Frame) {
		for i, text := range texts {
			quoted, _ := json.Marshal(text)
			frames = append(frames,
				&schema.Frame{Transport: schema.WebSocket, Raw: fmt.Appendf(nil, `{"event_id":%d,"node":"a","text":%s}`, 2*i, quoted)},
				&schema.Frame{Transport: schema.WebSocket, Raw: fmt.Appendf(nil, `{"event_id":%d,"node":"b","text":" and other words. "}`, 2*i+1)})
		}
		return frames
	},
	"base64 in an event stream": func(texts []string) (frames []*schema.Frame) {
		for _, text := range texts {
			quoted, _ := json.Marshal(text)
			message := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}`, quoted))
			payload := []byte(`{"bytes":"` + message + `","p":"abcd"}`)
			raw := make([]byte, 12, 16+len(payload))
			binary.BigEndian.PutUint32(raw, uint32(16+len(payload)))
			raw = append(append(raw, payload...), 0, 0, 0, 0)
			seal(raw, len(raw))
			frames = append(frames, &schema.Frame{Transport: schema.EventStream, Raw: raw})
		}
		return frames
	},
	"events of plain text": func(texts []string) (frames []*schema.Frame) {
		for i, text := range texts {
			frames = append(frames, &schema.Frame{Transport: schema.SSE, Raw: fmt.Appendf(nil, "id: %d\ndata: %s\n\n", i, strings.ReplaceAll(text, "\n", "\ndata: "))})
		}
		return frames
	},
	"messages of plain text": func(texts []string) (frames []*schema.Frame) {
		for _, text := range texts {
			frames = append(frames, &schema.Frame{Transport: schema.WebSocket, Raw: []byte(text)})
		}
		return frames
	},
	"body": func(texts []string) (frames []*schema.Frame) {
		for _, text := range texts {
			frames = append(frames, &schema.Frame{Transport: schema.HTTP, Raw: []byte(text)})
		}
		return frames
	},
}

// traces returns a part of a secret that is in the frames: any six bytes of it in a row
// that are not public. Frames are decoded and joined for each place of a text.
func traces(frames []*schema.Frame, secret string, public map[string]bool) string {
	joined := ""
	for _, f := range frames {
		joined += string(plain(f)) + "\n"
		for _, part := range strings.Split(string(plain(f)), `\u`) {
			if len(part) >= 4 {
				var c rune
				if _, err := fmt.Sscanf(part[:4], "%x", &c); err == nil {
					joined += string(c)
				}
			}
		}
	}
	for i := 0; i+6 <= len(secret); i++ {
		if part := secret[i : i+6]; !public[part] && strings.Contains(joined, part) {
			return part
		}
	}
	return ""
}

// Of every secret, cut at every place into two texts, no part is recorded, and neither is
// anything around it changed.
func TestEverySplit(t *testing.T) {
	for _, r := range allRules() {
		e := engineOf(t, &r)
		text := "use " + example(r.Example, 7) + " now"
		secret := secretOf(t, &r, text)
		public := map[string]bool{}
		for _, key := range r.Keywords {
			for i := 0; i+6 <= len(key); i++ {
				public[key[i:i+6]] = true
			}
		}
		if r.Open { // the armour of a key is public
			secret = strings.Split(secret, "\n")[1]
		}
		for name, form := range forms {
			for at := 0; at <= len(text); at++ {
				frames := form([]string{text[:at], text[at:], " and more"})
				var valid []bool
				for _, f := range frames {
					valid = append(valid, json.Valid(plain(f)))
				}
				out := record(t, e.NewMasker(), frames)
				flagged := 0
				for i, f := range out {
					if json.Valid(plain(f)) != valid[i] {
						t.Fatalf("%s, %s, split %d: %s is no longer valid", r.ID, name, at, f.Raw)
					}
					if f.Flags.Has(schema.FlagRedacted) {
						flagged++
					}
				}
				if part := traces(out, secret, public); part != "" || flagged == 0 {
					t.Fatalf("%s, %s, split %d: %q of %q is in %s", r.ID, name, at, part, secret, all(out))
				}
				if !strings.Contains(all(out), "[redacted:"+r.ID+"#1]") {
					t.Fatalf("%s, %s, split %d: no placeholder in %s", r.ID, name, at, all(out))
				}
			}
		}
	}
}

// A secret that arrives byte by byte is found.
func TestByteByByte(t *testing.T) {
	for _, r := range allRules() {
		text := "use " + example(r.Example, 7) + " now"
		secret := secretOf(t, &r, text)
		if r.Open {
			secret = strings.Split(secret, "\n")[1]
		}
		for name, form := range forms {
			out := record(t, engineOf(t, &r).NewMasker(), form(strings.Split(text, "")))
			together := ""
			for _, f := range out {
				if f.Flags.Has(schema.FlagRedacted) {
					together += "x"
				}
			}
			if len(together) < len(secret)-len(longest(r.Keywords)) {
				t.Errorf("%s, %s: %d frames of %d bytes are masked: %s", r.ID, name, len(together), len(secret), all(out))
			}
		}
	}
}

func longest(keys []string) (l string) {
	for _, k := range keys {
		if len(k) > len(l) {
			l = k
		}
	}
	return l
}

func all(frames []*schema.Frame) (s string) {
	for _, f := range frames {
		s += string(plain(f)) + " "
	}
	return s
}

// plain returns the bytes of a frame, those of the message in base64 if it is a message of an
// event stream, whose checksums have to be right.
func plain(f *schema.Frame) []byte {
	m, ok := schema.ParseEventMessage(f.Raw)
	if f.Transport != schema.EventStream || !ok {
		return f.Raw
	}
	var payload struct{ Bytes []byte }
	sealed := bytes.Clone(f.Raw)
	seal(sealed, len(sealed))
	if json.Unmarshal(m.Payload, &payload) != nil || !bytes.Equal(sealed, f.Raw) {
		return []byte("not valid: " + string(f.Raw))
	}
	return payload.Bytes
}
